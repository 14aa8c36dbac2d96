#!/usr/bin/env bash
# Fuzzes every parser of outside text for the given time each (default 30s).
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
for file in $(git grep -lE '^func Fuzz' -- '*_test.go'); do
  dir=./$(dirname "$file")
  for target in $(grep -oE '^func Fuzz[A-Za-z0-9_]+' "$file" | sed 's/^func //'); do
    printf '%s %s\n' "$dir" "$target"
    go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" "$dir" >/tmp/fuzz.$$ 2>&1 || { cat /tmp/fuzz.$$; rm -f /tmp/fuzz.$$; exit 1; }
  done
done
rm -f /tmp/fuzz.$$
