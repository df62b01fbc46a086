"""What goes wrong in a night, and which alarms are true while it does."""
import dataclasses
import json
import pathlib
import signal
import time
from typing import Callable

import scene as scenes

# An alarm that comes so long after the end of its trouble is about what is left of it.
AFTERWARDS = 90
# Seconds of calm between two troubles, at least.
CALM = 8


@dataclasses.dataclass
class Trouble:
    """One trouble. `explains` are parts of the words of alarms that are true meanwhile; `reported` are those of the report, any of them."""

    name: str
    seconds: float
    begin: Callable
    end: Callable
    explains: tuple
    reported: tuple


def kill(night):
    night.signal(night.swarm, signal.SIGKILL)
    night.swarm.child.wait()


def stop_server(name):
    return lambda night: night.servers[name].stop()


def pause(name):
    return lambda night: night.signal(night.servers[name], signal.SIGSTOP)


def resume(name):
    return lambda night: night.signal(night.servers[name], signal.SIGCONT)


def restart_model(*more, key="night"):
    def again(night):
        night.servers["model"].stop()
        night.start_model(*more, key=key)

    return again


def put_key_right(night):
    """The key is right again, and the operator lets all try again, as the needs ask for."""
    restart_model()(night)
    night.note("retry", told=night.zoea("mysis", "retry", "--all").strip()[-200:])


def spread_poison(night):
    """From now on the model's server refuses each request with the text in it, and one Mysis reads it."""
    shape = pathlib.Path(__file__).resolve().parents[1] / "incidents" / "risk400.json"
    file = night.directory / "poison.json"
    file.write_text(json.dumps(json.loads(shape.read_text()) | {"only_with": scenes.POISON}))
    restart_model("--replay", str(file))(night)
    night.poison()


MODEL = ("pilot", "model", "nothing_happens", "waits", "errored", "no answer", "key", "nothing_moves", "slow")
GAME = ("game", "no tools", "no access", "only fails", "calls fail", "nothing_happens", "errored", "nothing_moves", "repeats", "mcp")
KILL = ("interrupted", "not_closed", "without closing", "pilot", "game", "no tools", "nothing_happens")
DISK = ("store_trouble", "accepts no writes", "little_room", "nothing_happens", "nothing_moves", "errored")

ALL = [
    Trouble("kill -9 (1)", 5, kill, lambda night: night.start(), KILL, ("killed", "does not run", "crash", "without closing")),
    Trouble("the model hangs", 40, pause("model"), resume("model"), MODEL, ("pilot is down", "pilot.*away", "no answer", "nothing happens")),
    Trouble("kill -9 (2)", 5, kill, lambda night: night.start(), KILL, ("killed", "does not run", "crash", "without closing")),
    Trouble("the disk is full", 20, lambda night: night.fill_disk(), lambda night: night.free_disk(), DISK, ("writes", "stored", "room")),
    Trouble("the game refuses", 25, stop_server("game"), lambda night: night.start_game(), GAME, ("game.*(away|down|works again)",)),
    Trouble("kill -9 (3)", 5, kill, lambda night: night.start(), KILL, ("killed", "does not run", "crash", "without closing")),
    Trouble("the game hangs", 40, pause("game"), resume("game"), GAME, ("(game|tool server).*(away|down|no answer|works again)", "nothing happens")),
    Trouble("the model refuses (401)", 25, restart_model(key="another"), put_key_right, MODEL, ("pilot (serves|is down)", "key", "401")),
    Trouble("the model is gone", 25, stop_server("model"), lambda night: night.start_model(), MODEL, ("pilot is down",)),
    Trouble("a poisoned text", 30, spread_poison, restart_model(), ("errored", "left out", "refuse", "not delivered", "not_delivered", "held_back", *MODEL), ("poison", "refus", "errored", "left out")),
    Trouble("the program is stopped", 12, lambda night: night.signal(night.swarm, signal.SIGSTOP),
            lambda night: night.signal(night.swarm, signal.SIGCONT), ("stood_still", *MODEL, *GAME), ("stood still",)),
]


def play(night, troubles):
    """Lets everything happen in turn, with calm before, between and after."""
    whole = night.asked.minutes * 60
    lengths = [max(trouble.seconds, min(trouble.seconds * whole / 900, 120)) for trouble in troubles]
    calm = max((whole - sum(lengths)) / (len(troubles) + 1), CALM)
    rest(night, calm)
    for trouble, length in zip(troubles, lengths):
        mark = {"name": trouble.name, "from": time.time(), "explains": trouble.explains, "reported": trouble.reported}
        night.note("trouble", name=trouble.name)
        print(f"{time.strftime('%H:%M:%S')} {trouble.name}", flush=True)
        trouble.begin(night)
        rest(night, length)
        mark["until"] = time.time()
        trouble.end(night)
        night.marks.append(mark)
        night.note("over", name=trouble.name)
        rest(night, calm)


def rest(night, seconds):
    """Lets time pass, and gives orders meanwhile."""
    end = time.monotonic() + seconds
    pace = max(night.asked.minutes * 60 / 100, 3)
    while (left := end - time.monotonic()) > 0:
        if left > pace:
            night.give_order()
        time.sleep(min(left, pace))
