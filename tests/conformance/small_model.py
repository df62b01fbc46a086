"""What the tests with a real small model share: its server, its sampling, its account in the game, its log."""
import collections
import json
import os
import pathlib
import re
import string
import sys
import time
import urllib.request

from swarm import ZOEA, Process, Swarm, fetch, free_port, wait_for

HERE = pathlib.Path(__file__).parent
# A small machine reads some fifty words a second, so the prompt is short and the tools are few.
# Its account is there before it begins, because the answer to `register` is so long that this model repeats it from then on.
PROMPT = "You are {{name}}, a pilot in the game SpaceMolt. You play by calling tools, one at a time. {{mission}}"
CONFIGURATION = """
[swarm]
turn_pause = "1s"
[mcp]
upstream = "{game}/mcp"
tools = {tools}
[progress]
watch = "off"
[providers.local]
endpoint = "{url}/v1"
model = "qwen2.5-coder"
temperature = 0.2
timeout = "30m"
max_concurrency = 1
text_calls = {text_calls}
[providers.local.extra]
{sampling}
[[myses]]
name = "kim"
"""
# A small model goes on after its call: with the result that it expects, or with the calls of the whole journey, until its
# answer is cut. So its answer ends before a second object.
STOPS = [f'\n{{"{letter}' for letter in string.ascii_lowercase] + ["<tool_response>"]
SAMPLING = os.environ.get("SAMPLING", f"repeat_penalty = 1.1\nstop = {json.dumps(STOPS)}")


class Server(Process):
    """llama.cpp's server with the model, in a context of so many tokens."""

    def __init__(self, model, template, log, tokens=16384, answer=256):
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        super().__init__([sys.executable, HERE / "serve.py", template, str(port), model, str(tokens), str(answer)], log)
        wait_for("the model", lambda: fetch(f"{self.url}/health")["status"] == "ok", 900, 1)


def register(game, name):
    """Makes an account in the game. Returns its password."""
    headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}

    def ask(method, params, number=None):
        body = {"jsonrpc": "2.0", "method": method, "params": params} | ({"id": number} if number else {})
        request = urllib.request.Request(f"{game}/mcp", json.dumps(body).encode(), headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            headers["mcp-session-id"] = answer.headers.get("mcp-session-id") or headers.get("mcp-session-id", "")
            return answer.read().decode()

    ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                       "clientInfo": {"name": "written", "version": "1"}}, 1)
    ask("notifications/initialized", {})
    told = ask("tools/call", {"name": "register", "arguments": {
        "username": name, "empire": "solarian", "registration_code": "any"}}, 2)
    found = re.search(r"password\W+([\w-]{12,})", told)
    assert found, told
    return found.group(1)


def short(text, most=150):
    text = re.sub(r"\s+", " ", text or "").strip()
    # Passwords of the simulated game, too, are nobody's business.
    text = re.sub(r"(?i)(password\W+)[\w-]+", r"\1…", text)
    return text if len(text) <= most else text[: most - 1] + "…"


def line_of(row):
    """A row of the conversation as a line of the log."""
    at = row["at"][11:19]
    metadata = row["metadata"] or {}
    if row["tool_calls"]:
        is_step = any(call.get("routine") for call in row["tool_calls"])
        mark = "of a routine" if is_step else "from text" if metadata.get("from_text") else "by the server"
        calls = "; ".join(f"{call['name']} {json.dumps(call['arguments'])} {call['status']}" for call in row["tool_calls"])
        return f"{at} call ({mark}): {short(calls)}"
    if row["role"] == "tool":
        word = "failed" if metadata.get("is_error") else "done"
        return f"{at}   {metadata.get('tool')} {word}: {short(row['content'])}"
    return f"{at} {row['kind']}: {short(row['content'])}"


def figures_of(rows):
    """How many of what."""
    def is_step(row):
        return any(call.get("routine") for call in row["tool_calls"] or [])

    answers = [row for row in rows if row["role"] == "assistant" and not is_step(row)]
    made = [row for row in answers if row["tool_calls"]]
    results = collections.Counter()
    for row in rows:
        if row["role"] == "tool":
            metadata = row["metadata"] or {}
            results["failed" if metadata.get("is_error") else "done", metadata.get("tool")] += 1

    def told(word):
        of_word = {tool: count for (one, tool), count in results.items() if one == word}
        return f"{sum(of_word.values())} {of_word}"

    return {
        "answers": len(answers),
        "with calls from text": sum(bool((row["metadata"] or {}).get("from_text")) for row in made),
        "with calls by the server": sum(not (row["metadata"] or {}).get("from_text") for row in made),
        "words alone": len(answers) - len(made),
        "calls that succeeded": told("done"),
        "calls that failed": told("failed"),
    }


class Played:
    """What came of playing: rows, events, and what `status` and `books` print."""

    def __init__(self, log, url, mission, minutes, tools, text_calls=True):
        galaxy = [ZOEA, "galaxy", "--addr", ":0", "--tick", "1s", "--seed", "1"]
        with Process(galaxy, f"{log}-galaxy.txt") as galaxy:
            game = wait_for("the game", lambda: re.search(r"http://[0-9.:]+", galaxy.text()), 30).group()
            text = CONFIGURATION.format(game=game, url=url, tools=json.dumps(tools),
                                        text_calls=json.dumps(text_calls), sampling=SAMPLING)
            accounts = [{"username": "kim", "password": register(game, "kim"), "assigned_to": "kim"}]
            with Swarm(text, f"{log}.jsonl", mission, prompt=PROMPT, accounts=accounts) as swarm:
                time.sleep(minutes * 60)
                self.rows = swarm.rows("kim")
                self.events = swarm.events()
                self.status, self.books = swarm.zoea("status"), swarm.zoea("books")
                swarm.stop()
        self.figures = figures_of(self.rows)
        self.lines = [line_of(row) for row in self.rows if row["kind"] != "host"]
        pathlib.Path(f"{log}-log.txt").write_text("\n".join(self.lines) + "\n")
        pathlib.Path(f"{log}-rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in self.rows))

    def show(self, title, most_lines):
        print(f"\n== {title}")
        for name, value in self.figures.items():
            print(f"{name}: {value}")
        print(self.books + "\n".join(self.lines[:most_lines]), flush=True)
