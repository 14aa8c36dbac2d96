#!/usr/bin/env bash
# Tests llm/provider against aimock, an independent server of OpenAI's and Anthropic's protocols: installs it into a
# temporary folder, starts it on a free port of the loopback interface, runs the tests, and stops it.
set -euo pipefail
cd "$(dirname "$0")/.."
version=1.43.0

for tool in npm node; do
  command -v "$tool" >/dev/null || { echo "bench/aimock.sh needs $tool: install Node.js 20 or newer" >&2; exit 1; }
done

dir=$(mktemp -d)
pid=
stop() {
  if [ -n "$pid" ]; then kill "$pid" 2>/dev/null || true; wait "$pid" 2>/dev/null || true; fi
  rm -rf "$dir"
}
trap stop EXIT

npm install --prefix "$dir" --no-save --no-audit --no-fund --ignore-scripts --loglevel error "@copilotkit/aimock@$version"
node "$dir/node_modules/@copilotkit/aimock/dist/cli.js" -p 0 -h 127.0.0.1 -f llm/provider/testdata/aimock.json --strict \
  >"$dir/log" 2>&1 &
pid=$!

url=
for _ in $(seq 300); do
  url=$(sed -nE 's/.*listening on (http:[^ ]+).*/\1/p' "$dir/log")
  [ -z "$url" ] || break
  kill -0 "$pid" 2>/dev/null || { echo "aimock ended before it listened:" >&2; cat "$dir/log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$url" ] || { echo "aimock did not listen within 30 seconds:" >&2; cat "$dir/log" >&2; exit 1; }

AIMOCK_URL=$url go test -count 1 -tags integration "$@" ./llm/provider
