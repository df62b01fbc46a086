"""A real small model flies to and fro in the simulated game, step by step and with a routine:
routines.py WORK MODEL.gguf TEMPLATE|- MINUTES. Prints figures and a short log of each way."""
import pathlib
import sys

from small_model import Played, Server

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


def main():
    with Server(MODEL, TEMPLATE, WORK / "results" / "routines-server.txt") as server:
        _, spared = play("by hand", server.url), play("routine", server.url)
    return 0 if spared else 1


sys.exit(main())
