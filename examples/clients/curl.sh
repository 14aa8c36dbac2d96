#!/bin/sh
# Asks a question and prints the checked report: sh curl.sh "Why was the Marrowgate Bridge closed?"
# PLUMB_URL is the server (default http://127.0.0.1:8080), PLUMB_KEY its key if it wants one.
set -eu

url=${PLUMB_URL:-http://127.0.0.1:8080}
question=${1:?the question is missing: sh curl.sh "QUESTION"}

call() { curl --silent --show-error --fail-with-body ${PLUMB_KEY:+--header "X-API-Key: $PLUMB_KEY"} "$@"; }
field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p"; }
quoted() { printf %s "$1" | tr '\n\t' '  ' | sed 's/[\\"]/\\&/g'; }

task=$(call "$url/api/v1/tasks" --header 'Content-Type: application/json' \
	--data "{\"query\":\"$(quoted "$question")\",\"research_strategy\":\"quick\"}" | field task_id)
echo "task $task" >&2

# The stream ends when the task has ended.
call --no-buffer "$url/api/v1/stream/sse?workflow_id=$task" | sed -n 's/^event: /  /p' >&2

call "$url/api/v1/tasks/$task/report?format=md"
