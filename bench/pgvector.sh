#!/bin/sh
# Tests the vectors of store/postgres on PGlite, a PostgreSQL with pgvector that npm brings: no server is needed.
set -eu
cd "$(dirname "$0")/.."
PLUMB_TEST_PGLITE=${PLUMB_TEST_PGLITE:-$(mktemp -d)}
export PLUMB_TEST_PGLITE
test -d "$PLUMB_TEST_PGLITE/node_modules/@electric-sql/pglite-pgvector" ||
	npm install --silent --no-audit --no-fund --prefix "$PLUMB_TEST_PGLITE" @electric-sql/pglite @electric-sql/pglite-socket @electric-sql/pglite-pgvector
go test -count=1 -v -run 'Vectors' ./store/postgres
