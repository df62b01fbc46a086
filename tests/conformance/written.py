"""A real small model that writes its calls as text plays the simulated game, with `text_calls` and without:
written.py WORK MODEL.gguf TEMPLATE|- MINUTES. Prints figures and a short log of each half."""
import collections
import json
import pathlib
import re
import sys
import time

from small_model import SAMPLING, Server, figures_of, line_of, register, short
from swarm import ZOEA, Process, Swarm, wait_for

WORK, MODEL, TEMPLATE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MINUTES = float(sys.argv[4])
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
    with Server(MODEL, TEMPLATE, WORK / "results" / "written-server.txt") as server:
        with_text, without = play(True, server.url, MINUTES), play(False, server.url, MINUTES / 3)
    played = with_text["with calls from text"] > 0 and not with_text["calls that succeeded"].startswith("0 ")
    return 0 if played and without["with calls from text"] == 0 else 1


sys.exit(main())
