"""A real small model flies to and fro in the simulated game, step by step and with a routine; then it takes the place of
the simulated model, whose rounds the runtime offers as a routine:
routines.py WORK MODEL.gguf TEMPLATE|- MINUTES [WAY]. Prints figures and a short log of each way."""
import json
import pathlib
import re
import sys
import time

from small_model import PROMPT, SAMPLING, Played, Server, figures_of, line_of
from swarm import ZOEA, Process, Swarm, wait_for

WORK, MODEL, TEMPLATE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MINUTES = float(sys.argv[4])
# The ways to play, as missions. Of the game's tools it has `travel`; the program's own are always there.
WAYS = {
    "by hand": ("Travel to main_belt. Then travel to sol_central. Then to main_belt again, and so on. "
                "One call in each answer, and nothing else."),
    # So small a model copies its example, so the places of the example are the right ones; the rounds are not.
    "routine": ("Fly to main_belt and back to sol_central ten times. Do not call travel yourself: call zoea_routine_start "
                "once, with 10 rounds. An example with 2 rounds: "
                '{"name": "zoea_routine_start", "arguments": {"name": "to and fro", "rounds": 2, "steps": [{"tool": "travel", '
                '"arguments": {"target_poi": "main_belt"}}, {"tool": "travel", "arguments": {"target_poi": "sol_central"}}]}} '
                "One call in each answer, and nothing else."),
}


def journeys(rows):
    """The journeys that were made: by the model, and by its routines."""
    calls = [call for row in rows for call in row["tool_calls"] or [] if call["name"] == "travel" and call["status"] == "done"]
    spared = sum(bool(call.get("routine")) for call in calls)
    return len(calls) - spared, spared


def play(way, url):
    played = Played(WORK / "results" / f"routines-{way.replace(' ', '-')}", url, WAYS[way], MINUTES, ["travel"])
    played.show(f"{way}, {MINUTES:g} minutes", 30)
    by_model, by_routine = journeys(played.rows)
    print(f"journeys: {by_model} of the model, {by_routine} of its routines")
    return by_routine


# The mission says nothing of routines. The simulated model plays it until the runtime has found its round.
MISSION = "Mine ore, sell it at your station, refuel and go again. One call in each answer, and nothing else."
OFFERED = """
[swarm]
turn_pause = "1s"
default_provider = "simulated"
[mcp]
upstream = "{game}/mcp"
tools = ["travel", "dock", "undock", "mine", "sell", "refuel", "get_status", "get_cargo", "get_poi", "get_system", "register", "login", "jump", "get_notifications"]
[progress]
watch = "off"
[providers.simulated]
endpoint = "{pilot}/v1"
model = "pilot"
[providers.local]
endpoint = "{url}/v1"
model = "qwen2.5-coder"
temperature = 0.2
timeout = "30m"
context_tokens = 8192
max_concurrency = 1
text_calls = true
[providers.local.extra]
{sampling}
[[myses]]
name = "kim"
provider = "simulated"
"""


def play_offered(url):
    """Whether the model started the routine that the runtime offers, of which nobody told it."""
    log = WORK / "results" / "routines-offered"
    galaxy = [ZOEA, "galaxy", "--addr", ":0", "--tick", "1s", "--seed", "1"]
    pilot = [ZOEA, "pilot", "--addr", ":0", "--seed", "1", "--nonsense", "0"]

    def address(process):
        return wait_for("an address", lambda: re.search(r"http://[0-9.:]+", process.text()), 30).group()

    with Process(galaxy, f"{log}-galaxy.txt") as galaxy, Process(pilot, f"{log}-pilot.txt") as pilot:
        text = OFFERED.format(game=address(galaxy), pilot=address(pilot), url=url, sampling=SAMPLING)
        with Swarm(text, f"{log}.jsonl", MISSION, prompt=PROMPT) as swarm:
            def circle():
                return json.loads(swarm.zoea("mysis", "list", "--json"))[0].get("circle")

            found = wait_for("a round that is offered", circle, 1200, 2)
            print(f"\n== offered: {found}")
            before = len(swarm.rows("kim"))
            print(swarm.zoea("mysis", "configure", "kim", "--provider", "local"), end="")
            end = time.monotonic() + MINUTES * 60
            while time.monotonic() < end and not swarm.notices()["routine_started"]:
                time.sleep(2)
            if swarm.notices()["routine_started"]:
                time.sleep(60)
            rows = swarm.rows("kim")[before:]
            swarm.stop()
    print("\n".join(f"{name}: {value}" for name, value in figures_of(rows).items()))
    print("\n".join(line_of(row) for row in rows if row["kind"] != "host"), flush=True)
    started = [call for row in rows for call in row["tool_calls"] or [] if call["name"] == "zoea_routine_start"]
    spared = sum(bool(call.get("routine")) for row in rows for call in row["tool_calls"] or [])
    print(f"routines that the model started: {len(started)}; calls of theirs: {spared}")
    return spared if started else 0


def main():
    with Server(MODEL, TEMPLATE, WORK / "results" / "routines-server.txt") as server:
        ways = {"by hand": lambda: play("by hand", server.url), "routine": lambda: play("routine", server.url),
                "offered": lambda: play_offered(server.url)}
        chosen = sys.argv[5:] or list(ways)
        spared = [ways[way]() for way in chosen]
    return 0 if any(spared) else 1


sys.exit(main())
