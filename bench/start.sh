#!/usr/bin/env bash
# Measures how long the program takes to start: the median of 21 runs of `plumb version`, in milliseconds, and its size.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(mktemp -d)/plumb
go build -trimpath -ldflags '-s -w' -o "$bin" ./cmd/plumb
"$bin" version >/dev/null
for _ in $(seq 21); do
  begin=$(date +%s%N)
  "$bin" version >/dev/null
  end=$(date +%s%N)
  echo $(( (end - begin) / 10000 ))
done | sort -n | sed -n 11p | awk '{printf "plumb version: %.2f ms\n", $1 / 100}'
ls -l "$bin" | awk '{printf "binary, stripped: %.1f MB\n", $5 / 1e6}'
rm -rf "$(dirname "$bin")"
