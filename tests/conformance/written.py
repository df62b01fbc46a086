"""A real small model that writes its calls as text plays the simulated game, with `text_calls` and without:
written.py WORK MODEL.gguf TEMPLATE|- MINUTES. Prints figures and a short log of each half."""
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

WORK, MODEL, TEMPLATE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MINUTES = float(sys.argv[4])
HERE = pathlib.Path(__file__).parent
# A small machine reads some fifty words a second, so the prompt is short and the tools are few.
# Its account is there before it begins, because the answer to `register` is so long that this model repeats it from then on.
PROMPT = "You are {{name}}, a pilot in the game SpaceMolt. You play by calling tools, one at a time. {{mission}}"
MISSION = ("Travel to main_belt. Then travel to sol_central. Then to main_belt again, and so on. One call in each answer, and "
           "nothing else.")
CONFIGURATION = """
[swarm]
turn_pause = "1s"
[mcp]
upstream = "{game}/mcp"
tools = ["travel"]
deny_tools = ["zoea_*"]
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
        mark = "from text" if metadata.get("from_text") else "by the server"
        calls = "; ".join(f"{call['name']} {json.dumps(call['arguments'])} {call['status']}" for call in row["tool_calls"])
        return f"{at} call ({mark}): {short(calls)}"
    if row["role"] == "tool":
        word = "failed" if metadata.get("is_error") else "done"
        return f"{at}   {metadata.get('tool')} {word}: {short(row['content'])}"
    return f"{at} {row['kind']}: {short(row['content'])}"


def figures_of(rows):
    """How many of what."""
    answers = [row for row in rows if row["role"] == "assistant"]
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


def play(text_calls, url, minutes):
    word = "true" if text_calls else "false"
    log = WORK / "results" / f"written-{word}"
    galaxy = [ZOEA, "galaxy", "--addr", ":0", "--tick", "1s", "--seed", "1"]
    with Process(galaxy, f"{log}-galaxy.txt") as galaxy:
        game = wait_for("the game", lambda: re.search(r"http://[0-9.:]+", galaxy.text()), 30).group()
        text = CONFIGURATION.format(game=game, url=url, text_calls=word, sampling=SAMPLING)
        accounts = [{"username": "kim", "password": register(game, "kim"), "assigned_to": "kim"}]
        with Swarm(text, f"{log}.jsonl", MISSION, prompt=PROMPT, accounts=accounts) as swarm:
            time.sleep(minutes * 60)
            rows = swarm.rows("kim")
            notices = [event for event in swarm.events() if event["event"] == "host"]
            (WORK / "results" / f"written-{word}-status.txt").write_text(swarm.zoea("status") + swarm.zoea("books"))
            swarm.stop()
    figures = figures_of(rows)
    print(f"\n== text_calls = {word}, {minutes:g} minutes")
    for name, value in figures.items():
        print(f"{name}: {value}")
    for code, count in collections.Counter(event["code"] for event in notices).items():
        example = next(event["text"] for event in notices if event["code"] == code)
        print(f"told {count} x {code}: {short(example, 300)}")
    lines = [line_of(row) for row in rows if row["kind"] != "host"]
    pathlib.Path(f"{log}-log.txt").write_text("\n".join(lines) + "\n")
    pathlib.Path(f"{log}-rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    print("\n".join(lines[:40]), flush=True)
    return figures


def main():
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, HERE / "serve.py", TEMPLATE, str(port), MODEL, "16384", "256"]
    with Process(command, WORK / "results" / "written-server.txt"):
        wait_for("the model", lambda: fetch(f"{url}/health")["status"] == "ok", 900, 1)
        with_text, without = play(True, url, MINUTES), play(False, url, MINUTES / 3)
    played = with_text["with calls from text"] > 0 and not with_text["calls that succeeded"].startswith("0 ")
    return 0 if played and without["with calls from text"] == 0 else 1


sys.exit(main())
