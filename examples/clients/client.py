"""Asks a question, shows what happens, and prints every claim of the report with its verdict.

    python3 client.py "Why was the Marrowgate Bridge closed?"

PLUMB_URL is the server (default http://127.0.0.1:8080), PLUMB_KEY its key if it wants one. Needs nothing but Python.
"""

import json
import os
import sys
import urllib.error
import urllib.request

URL = os.environ.get("PLUMB_URL", "http://127.0.0.1:8080")
KEY = os.environ.get("PLUMB_KEY", "")


def call(path, body=None, **headers):
    """Opens a path of the API; with a body it is a POST of JSON."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    if KEY:
        headers["X-API-Key"] = KEY
    data = None
    if body is not None:
        data = json.dumps(body).encode()
        headers["Content-Type"] = "application/json"
    try:
        return urllib.request.urlopen(urllib.request.Request(URL + path, data, headers))
    except urllib.error.HTTPError as error:
        sys.exit(f"{path}: {error.code}: {json.load(error)['error']}")


def follow(task):
    """Yields the events of a task until it has ended. A connection that breaks is taken up where it was."""
    last = ""
    while True:
        name = ""
        with call(f"/api/v1/stream/sse?workflow_id={task}", **({"Last_Event_ID": last} if last else {})) as stream:
            for line in stream:
                field, _, value = line.decode().rstrip("\r\n").partition(": ")
                if field == "id":
                    last = value
                elif field == "event":
                    name = value
                elif field == "data":
                    if name == "done":
                        return
                    yield name, json.loads(value)


def main(question):
    task = json.load(call("/api/v1/tasks", {"query": question, "research_strategy": "quick"}))["task_id"]
    for name, event in follow(task):
        print(f"  {name}: {event.get('message', '')[:100]}", file=sys.stderr)

    state = json.load(call(f"/api/v1/tasks/{task}"))
    if state["status"] != "TASK_STATUS_COMPLETED":
        sys.exit(f"{state['status']}: {state.get('error', '')}")
    report = json.load(call(f"/api/v1/tasks/{task}/report?format=json"))
    print(report["headline"])
    for verdict in report["verdicts"]:
        print(f"{verdict['status']:>12}  {verdict['claim_text']}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit('the question is missing: python3 client.py "QUESTION"')
    main(sys.argv[1])
