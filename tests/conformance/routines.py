"""A real small model flies to and fro in the simulated game, step by step and with a routine:
routines.py WORK MODEL.gguf TEMPLATE|- MINUTES. Prints figures and a short log of each way."""
import json
import pathlib
import re
import sys
import time

from small_model import SAMPLING, Server, figures_of, line_of, register
from swarm import ZOEA, Process, Swarm, wait_for

WORK, MODEL, TEMPLATE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MINUTES = float(sys.argv[4])
PROMPT = "You are {{name}}, a pilot in the game SpaceMolt. You play by calling tools, one at a time. {{mission}}"
# The ways to play: their tools and their missions. The model knows the tool of routines by its description and schema alone.
WAYS = {
    "by hand": (["travel"], "Travel to main_belt. Then travel to sol_central. Then to main_belt again, and so on. One call "
                "in each answer, and nothing else."),
    # So small a model copies its example, so the places of the example are the right ones; the rounds are not.
    "routine": (["travel", "zoea_routine_start"],
                "Fly to main_belt and back to sol_central ten times. Do not call travel yourself: call zoea_routine_start "
                "once, with 10 rounds. An example with 2 rounds: "
                '{"name": "zoea_routine_start", "arguments": {"name": "to and fro", "rounds": 2, "steps": [{"tool": "travel", '
                '"arguments": {"target_poi": "main_belt"}}, {"tool": "travel", "arguments": {"target_poi": "sol_central"}}]}} '
                "One call in each answer, and nothing else."),
}
CONFIGURATION = """
[swarm]
turn_pause = "1s"
[mcp]
upstream = "{game}/mcp"
tools = {tools}
deny_tools = ["zoea_find_tools", "zoea_search_*", "zoea_read_result", "zoea_messages", "zoea_list_myses"]
[progress]
watch = "off"
[providers.local]
endpoint = "{url}/v1"
model = "qwen2.5-coder"
temperature = 0.2
timeout = "30m"
max_concurrency = 1
text_calls = true
[providers.local.extra]
{sampling}
[[myses]]
name = "kim"
"""


def journeys(rows):
    """The journeys that were made: by the model, and by its routines."""
    calls = [call for row in rows for call in row["tool_calls"] or [] if call["name"] == "travel" and call["status"] == "done"]
    spared = sum(bool(call.get("routine")) for call in calls)
    return len(calls) - spared, spared


def play(way, url):
    tools, mission = WAYS[way]
    log = WORK / "results" / f"routines-{way.replace(' ', '-')}"
    galaxy = [ZOEA, "galaxy", "--addr", ":0", "--tick", "1s", "--seed", "1"]
    with Process(galaxy, f"{log}-galaxy.txt") as galaxy:
        game = wait_for("the game", lambda: re.search(r"http://[0-9.:]+", galaxy.text()), 30).group()
        text = CONFIGURATION.format(game=game, url=url, tools=json.dumps(tools), sampling=SAMPLING)
        accounts = [{"username": "kim", "password": register(game, "kim"), "assigned_to": "kim"}]
        with Swarm(text, f"{log}.jsonl", mission, prompt=PROMPT, accounts=accounts) as swarm:
            time.sleep(MINUTES * 60)
            rows = swarm.rows("kim")
            books = swarm.zoea("books")
            swarm.stop()
    figures = figures_of(rows)
    by_model, by_routine = journeys(rows)
    print(f"\n== {way}, {MINUTES:g} minutes")
    for name, value in figures.items():
        print(f"{name}: {value}")
    print(f"journeys: {by_model} of the model, {by_routine} of its routines\n{books}")
    lines = [line_of(row) for row in rows if row["kind"] != "host"]
    pathlib.Path(f"{log}-log.txt").write_text("\n".join(lines) + "\n")
    pathlib.Path(f"{log}-rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    print("\n".join(lines[:30]), flush=True)
    return by_routine


def main():
    with Server(MODEL, TEMPLATE, WORK / "results" / "routines-server.txt") as server:
        _, spared = play("by hand", server.url), play("routine", server.url)
    return 0 if spared else 1


sys.exit(main())
