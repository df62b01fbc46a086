"""Several Myses on one small model, by this build and by another: one_prompt.py WORK MODEL.gguf MINUTES MYSES ROUNDS."""
import json
import os
import pathlib
import re
import sys
import time

import swarm
from small_model import Server, figures_of, register
from swarm import Process, Swarm, fetch, wait_for

WORK, MODEL = pathlib.Path(sys.argv[1]), sys.argv[2]
MINUTES = float(sys.argv[3])
NAMES = ["ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal"][: int(sys.argv[4])]
ROUNDS = int(sys.argv[5])
# The built-in prompt and list of tools. The answers are short, so that reading is what takes the time.
CONFIGURATION = """
[swarm]
turn_pause = "1s"
[mcp]
upstream = "{game}/mcp"
[progress]
watch = "off"
[providers.local]
endpoint = "{url}/v1"
model = "qwen2.5-coder"
temperature = 0.2
timeout = "30m"
max_concurrency = 1
"""
MISSION = "Mine ore and sell it where it is dear."
TOKENS_OF_AN_ANSWER = 64


def play(build, log):
    """What came of playing by a build: answers, and the server's tokens."""
    swarm.ZOEA = build
    with Server(MODEL, "-", f"{log}-server.txt", 32768, TOKENS_OF_AN_ANSWER) as server, \
            Process([os.environ["ZOEA"], "galaxy", "--addr", ":0", "--tick", "1s", "--seed", "1"], f"{log}-galaxy.txt") as galaxy:
        game = wait_for("the game", lambda: re.search(r"http://[0-9.:]+", galaxy.text()), 30).group()
        text = CONFIGURATION.format(game=game, url=server.url)
        text += "".join(f'[[myses]]\nname = "{name}"\n' for name in NAMES)
        accounts = [{"username": name, "password": register(game, name), "assigned_to": name} for name in NAMES]
        with Swarm(text, f"{log}.jsonl", MISSION, accounts=accounts) as played:
            time.sleep(MINUTES * 60)
            books = played.zoea("books")
            rows = {name: played.rows(name) for name in NAMES}
            played.stop()
        # What the server says of each answer: how much of the prompt it read, and in what time.
        read = re.findall(r"prompt eval time =\s*([\d.]+) ms /\s*(\d+) tokens", server.text())
    figures = [figures_of(of_one) for of_one in rows.values()]
    total = [line for line in books.splitlines() if line.startswith("all")]
    return {
        "answers": sum(one["answers"] for one in figures),
        "of each": [one["answers"] for one in figures],
        "prompts that the server read": len(read),
        "tokens that it read": sum(int(tokens) for _, tokens in read),
        "seconds of reading": round(sum(float(ms) for ms, _ in read) / 1000),
        "books": re.sub(r"\s+", " ", "; ".join(total + books.splitlines()[-1:])),
    }


def common(one, other):
    """How many elements two lists have in common, from the first one on."""
    pairs = zip(one, other)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def tokens_of(url, body):
    """The tokens of a request's prompt, by the model's own template."""
    asked = {"messages": body["messages"], "tools": body["tools"]}
    prompt = fetch(f"{url}/apply-template", asked)["prompt"]
    return fetch(f"{url}/tokenize", {"content": prompt, "parse_special": True})["tokens"]


def count_common(requests):
    """What the requests of two Myses have in common, as a pilot recorded them."""
    asked = {}
    for line in pathlib.Path(requests).read_text().splitlines():
        record = json.loads(line)
        asked.setdefault(record["agent"], []).append(record["body"])
    one, other = list(asked.values())[:2]
    with Server(MODEL, "-", WORK / "results" / "one-prompt-tokens.txt") as server:
        kinds = {
            "two first requests": (one[0], other[0]),
            "the newest of both": (one[-1], other[-1]),
            "a first one, and the newest of the other": (one[0], other[-1]),
        }
        for what, bodies in kinds.items():
            a, b = (tokens_of(server.url, body) for body in bodies)
            print(f"{what}: {common(a, b)} tokens of {len(a)} and {len(b)}", flush=True)


def main():
    if requests := os.environ.get("REQUESTS"):
        count_common(requests)
        return 0
    builds = {"before": os.environ.get("BEFORE"), "today": os.environ["ZOEA"]}
    answers = []
    for number in range(ROUNDS):
        for word, build in builds.items():
            if build:
                came = play(build, WORK / "results" / f"one-prompt-{word}-{number}")
                answers.append(came["answers"])
                print(f"\n== {word}, {len(NAMES)} Myses, {MINUTES:g} minutes: {build}", flush=True)
                for name, value in came.items():
                    print(f"{name}: {value}", flush=True)
    return 0 if all(answers) else 1


sys.exit(main())
