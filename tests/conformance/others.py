"""Plays servers of others by the program, with a model that calls each of their tools: others.py DIRECTORY [CASE…]."""
import collections
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import time

from swarm import Process, Swarm, free_port, wait_for

HERE, WORK = pathlib.Path(__file__).parent, pathlib.Path(sys.argv[1]).resolve()
SECONDS = float(os.environ.get("SECONDS_OF_PLAY", "60"))
CONFIGURATION = """
[budget]
usd_per_day = "unlimited"
[swarm]
turn_pause = "50ms"
[progress]
watch = "off"
[providers.local]
endpoint = "http://127.0.0.1:{port}/v1"
model = "script"
[mcp]
answer_timeout = "3s"
{server}
[[myses]]
name = "alpha"
"""
MODULES = WORK / "node_modules/@modelcontextprotocol"


class Script:
    """A model's server. Each answer calls the next tool; every third calls the next two."""

    def __init__(self, steps):
        self.steps, self.next, self.requests, self.offered = steps, 0, 0, set()
        script, lock = self, threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                models = {"object": "list", "data": [{"id": "script", "object": "model"}]}
                self.send(json.dumps(models), "application/json")

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                with lock:
                    delta = script.answer(body)
                reason = "tool_calls" if "tool_calls" in delta else "stop"
                chunk = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "script"}
                usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
                first = {"index": 0, "delta": {"role": "assistant"} | delta, "finish_reason": None}
                last = {"index": 0, "delta": {}, "finish_reason": reason}
                chunks = [chunk | {"choices": [first]}, chunk | {"choices": [last], "usage": usage}]
                text = "".join(f"data: {json.dumps(one)}\n\n" for one in chunks) + "data: [DONE]\n\n"
                self.send(text, "text/event-stream")

            def send(self, text, kind):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(text.encode())))
                self.end_headers()
                self.wfile.write(text.encode())

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def answer(self, body):
        tools = {tool["function"]["name"]: tool["function"] for tool in body.get("tools") or []}
        if len(tools) < 3:
            return {"content": "I am here."}  # `doctor` asks whether there is an answer at all.
        self.requests += 1
        self.offered |= set(tools)
        if self.next >= len(self.steps):
            return {"content": "All is done."}
        calls = []
        for tool, arguments, _ in self.steps[self.next:self.next + (2 if self.requests % 3 == 0 else 1)]:
            self.next += 1
            calls.append({"index": len(calls), "id": f"call{self.next:05}", "type": "function",
                          "function": {"name": self.name_of(tool, tools), "arguments": json.dumps(arguments)}})
        return {"tool_calls": calls}

    @staticmethod
    def name_of(tool, tools):
        """The offered name of a server's tool: the same, or the one that it became."""
        portable = re.sub("[^A-Za-z0-9_-]", "_", tool)
        return next((name for name in tools if name in (tool, portable)),
                    next((name for name in tools if name[:30] == portable[:30]), tool))


# Each step is a tool, its arguments, and what should become of the call.
OK, BAD = "done", "failed"


def everything():
    return [
        ("echo", {"message": "héllo ☃"}, OK), ("get-sum", {"a": 2, "b": 3.5}, OK), ("get-tiny-image", {}, OK),
        ("get-annotated-message", {"messageType": "error", "includeImage": True}, OK), ("get-env", {}, OK),
        ("get-structured-content", {"location": "Chicago"}, OK), ("get-resource-links", {"count": 3}, OK),
        ("get-resource-reference", {"resourceType": "Blob", "resourceId": 2}, OK),
        ("toggle-simulated-logging", {}, OK), ("toggle-subscriber-updates", {}, OK),
        ("trigger-long-running-operation", {"duration": 6, "steps": 4}, OK),
        ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resource"}, OK),
        ("gzip-file-as-resource", {"name": "a.gz", "data": "data:text/plain,hello", "outputType": "resourceLink"}, OK),
        ("get-sum", {"a": "two"}, BAD), ("get-structured-content", {"location": "Nowhere"}, BAD),
        ("trigger-elicitation-request", {}, OK),
        ("echo", {"message": "after all"}, OK),
    ]


def game():
    return [
        ("get_status", {}, OK), ("fleet.scan", {"radius": 2}, OK), ("market/prices", {"ore": "iron"}, OK),
        ("survey_" + "of_the_outer_belt_" * 5, {}, OK), ("look", {}, OK), ("rest", {}, OK), ("both", {}, OK), ("much", {}, OK),
        ("order", {"order": {"ore": "iron", "count": 2, "then": {"ore": "gold", "count": 1}}}, OK), ("mine", {}, OK),
        ("refuse", {}, BAD), ("fail", {}, BAD), ("market/prices", {"ore": "tin"}, BAD),
        ("order", {"order": {"ore": "iron", "count": 99}}, BAD), ("get_status", {}, OK),
    ]


def files():
    root = WORK / "files"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir()
    (root / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    at = lambda name: str(root / name)
    return [
        ("list_allowed_directories", {}, OK), ("write_file", {"path": at("ä.txt"), "content": "one\ntwo\n"}, OK),
        ("read_file", {"path": at("ä.txt")}, OK), ("read_text_file", {"path": at("ä.txt"), "head": 1}, OK),
        ("read_media_file", {"path": at("dot.png")}, OK), ("create_directory", {"path": at("sub")}, OK),
        ("edit_file", {"path": at("ä.txt"), "edits": [{"oldText": "two", "newText": "three"}]}, OK),
        ("read_multiple_files", {"paths": [at("ä.txt"), at("none")]}, OK), ("list_directory", {"path": at("")}, OK),
        ("list_directory_with_sizes", {"path": at(""), "sortBy": "size"}, OK), ("directory_tree", {"path": at("")}, OK),
        ("move_file", {"source": at("ä.txt"), "destination": at("sub/b.txt")}, OK),
        ("search_files", {"path": at(""), "pattern": "**/*.txt"}, OK), ("get_file_info", {"path": at("sub/b.txt")}, OK),
        ("read_file", {"path": at("none")}, BAD), ("read_file", {"path": "/etc/passwd"}, BAD), ("read_file", {}, BAD),
    ]


def repository():
    root = WORK / "repository"
    shutil.rmtree(root, ignore_errors=True)
    git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=n@example.org"]
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    (root / "a.txt").write_text("one\n")
    subprocess.run([*git, "add", "."], check=True)
    subprocess.run([*git, "commit", "-qm", "first"], check=True)
    for name, value in (("user.name", "n"), ("user.email", "n@example.org")):
        subprocess.run([*git, "config", name, value], check=True)
    (root / "a.txt").write_text("two\n")
    at = {"repo_path": str(root)}
    return [
        ("git_status", at, OK), ("git_diff_unstaged", at, OK), ("git_add", at | {"files": ["a.txt"]}, OK),
        ("git_diff_staged", at | {"context_lines": 1}, OK), ("git_reset", at, OK), ("git_add", at | {"files": ["a.txt"]}, OK),
        ("git_commit", at | {"message": "second"}, OK), ("git_log", at | {"max_count": 5}, OK),
        ("git_diff", at | {"target": "HEAD~1"}, OK), ("git_show", at | {"revision": "HEAD"}, OK),
        ("git_create_branch", at | {"branch_name": "b"}, OK), ("git_checkout", at | {"branch_name": "b"}, OK),
        ("git_branch", at | {"branch_type": "local"}, OK), ("git_checkout", at | {"branch_name": "none"}, BAD),
        ("git_status", {"repo_path": "/"}, BAD), ("git_status", {}, BAD),
    ]


def memory():
    (WORK / "memory.jsonl").unlink(missing_ok=True)
    entity = {"name": "Sol", "entityType": "star", "observations": ["yellow"]}
    relation = {"from": "Sol", "to": "Terra", "relationType": "has"}
    return [
        ("read_graph", {}, OK), ("create_entities", {"entities": [entity, entity | {"name": "Terra"}]}, OK),
        ("create_relations", {"relations": [relation]}, OK), ("search_nodes", {"query": "sol"}, OK),
        ("add_observations", {"observations": [{"entityName": "Sol", "contents": ["hot"]}]}, OK),
        ("open_nodes", {"names": ["Sol"]}, OK),
        ("delete_observations", {"deletions": [{"entityName": "Sol", "observations": ["hot"]}]}, OK),
        ("delete_relations", {"relations": [relation]}, OK), ("delete_entities", {"entityNames": ["Terra"]}, OK),
        ("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}, BAD),
        ("search_nodes", {}, BAD), ("read_graph", {}, OK),
    ]


EVERYTHING = ["node", str(MODULES / "server-everything/dist/index.js")]
GAME, OLD_GAME = ([str(WORK / venv / "bin/python"), str(HERE / "others_game.py")] for venv in ("venv", "venv2"))
# Its name: the steps, the command, and what the server gets after its port where it serves HTTP.
CASES = {
    "everything-stdio": (everything, [*EVERYTHING, "stdio"], None),
    "everything-http": (everything, [*EVERYTHING, "streamableHttp"], []),
    "filesystem": (files, ["node", str(MODULES / "server-filesystem/dist/index.js"), str(WORK / "files")], None),
    "git": (repository, [str(WORK / "venv/bin/mcp-server-git"), "--repository", str(WORK / "repository")], None),
    "memory": (memory, ["node", str(MODULES / "server-memory/dist/index.js")], None),
}


MODES = {"stdio": None, "sessions": [], "sessions-json": ["json"], "stateless": ["stateless"],
         "stateless-json": ["stateless", "json"]}
for kind, command in (("fastmcp", GAME), ("fastmcp2", OLD_GAME)):
    CASES |= {f"{kind}-{mode}": (game, command + ["stdio"] * (options is None), options) for mode, options in MODES.items()}


def play(name):
    steps_of, command, options = CASES[name]
    steps = steps_of()
    script, log, served = Script(steps), WORK / "results" / name, None
    if options is None:
        variables = f'env = {{ MEMORY_FILE_PATH = "{WORK}/memory.jsonl" }}\n' if name == "memory" else ""
        server = f"command = {json.dumps(command)}\n{variables}"
    else:
        port = free_port()
        command = command if name.startswith("everything") else [*command, str(port), *options]
        served = Process(command, f"{log}-server.txt", os.environ | {"PORT": str(port)})
        wait_for("the server", lambda: str(port) in served.text(), 60)
        server = f'upstream = "http://127.0.0.1:{port}/mcp"\n'
    try:
        configuration = CONFIGURATION.format(port=script.port, server=server)
        with Swarm(configuration, f"{log}.jsonl", "Try each tool.") as swarm:
            doctor = swarm.zoea("doctor")
            began = time.monotonic()
            try:
                wait_for("all steps", lambda: script.next >= len(steps) or swarm.child.poll() is not None, SECONDS, 0.3)
            except TimeoutError:
                pass
            time.sleep(3)
            took = time.monotonic() - began
            rows, human, status = swarm.rows("alpha"), swarm.zoea("log", "alpha", "--limit", "0"), swarm.zoea("status")
            notices = swarm.notices()
            swarm.stop()
    finally:
        if served:
            served.stop()
    pathlib.Path(f"{log}-rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    pathlib.Path(f"{log}-log.txt").write_text(human)
    pathlib.Path(f"{log}-doctor.txt").write_text(doctor + status)
    return judge(name, steps, script, rows, notices, took)


def judge(name, steps, script, rows, notices, took):
    """Prints what came of it. Whether each call has the name and the outcome that it should."""
    calls = [call for row in rows for call in row["tool_calls"] or []]
    wrong = [] if script.next >= len(steps) else [f"only {script.next} of {len(steps)} calls were made"]
    for call, (tool, _, expected) in zip(calls, steps):
        if call["name"] != tool:
            wrong.append(f"{tool} is {call['name']} in the log")
        if call["status"] != expected:
            wrong.append(f"{tool}: {call['status']}")
    counts = dict(collections.Counter(call["status"] for call in calls))
    print(f"{'FAILED  ' if wrong else 'holds   '} {name}: {len(script.offered)} tools offered in all, "
          f"{len(calls)} calls of {len(steps)}: {counts}, {script.requests} requests, {took:.0f} s; {dict(notices)}", *wrong, sep="\n    ", flush=True)
    return not wrong


if __name__ == "__main__":
    results = [play(name) for name in sys.argv[2:] or CASES]
    sys.exit(not all(results))
