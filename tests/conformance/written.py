"""A real small model that writes its calls as text plays the simulated game, with `text_calls` and without:
written.py WORK MODEL.gguf TEMPLATE|- MINUTES. Prints figures and a short log of each half."""
import collections
import pathlib
import sys

from small_model import Played, Server, short

WORK, MODEL, TEMPLATE = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
MINUTES = float(sys.argv[4])
MISSION = ("Travel to main_belt. Then travel to sol_central. Then to main_belt again, and so on. One call in each answer, and "
           "nothing else.")


def play(text_calls, url, minutes):
    word = "true" if text_calls else "false"
    log = WORK / "results" / f"written-{word}"
    played = Played(log, url, MISSION, minutes, ["travel"], text_calls)
    pathlib.Path(f"{log}-status.txt").write_text(played.status + played.books)
    played.show(f"text_calls = {word}, {minutes:g} minutes", 40)
    notices = [event for event in played.events if event["event"] == "host"]
    for code, count in collections.Counter(event["code"] for event in notices).items():
        example = next(event["text"] for event in notices if event["code"] == code)
        print(f"told {count} x {code}: {short(example, 300)}")
    return played.figures


def main():
    with Server(MODEL, TEMPLATE, WORK / "results" / "written-server.txt") as server:
        with_text, without = play(True, server.url, MINUTES), play(False, server.url, MINUTES / 3)
    played = with_text["with calls from text"] > 0 and not with_text["calls that succeeded"].startswith("0 ")
    return 0 if played and without["with calls from text"] == 0 else 1


sys.exit(main())
