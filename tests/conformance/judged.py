"""LLMock, a model server of others that breaks on purpose and judges its client, with our swarm as the client.

judged.py WORK: WORK/venv has llmock. Prints a line for each case; the exit status is 0 if the judge finds no
error and every Mysis does what it should."""
import collections
import json
import pathlib
import re
import sys
import time

from swarm import ZOEA, Process, Swarm, fetch, free_port, wait_for

WORK = pathlib.Path(sys.argv[1])
ONLY = sys.argv[2:]
LLMOCK = WORK / "venv" / "bin" / "llmock"
CONFIGURATION = """
[swarm]
turn_pause = "200ms"
[mcp]
upstream = "{game}/mcp"
logins_per_minute = 1000
tools = ["get_*"]
[progress]
watch = "off"
[supervision]
relaunch = "manual"
[providers.local]
endpoint = "{url}/v1"
model = "gpt-4o-mini"
retry = ["1s", "2s", "4s"]
{extra}
"""
MYSIS = '[[myses]]\nname = "{name}"\n'


def fail(status, times=1, **more):
    return {"type": "fail", "status": status, "times": times, **more}


def stream(kind, times=1, **more):
    return {"type": "stream_fault", "kind": kind, "times": times, **more}


# What happens to the first requests, and what the Mysis should do: `goes on` after the last fault, `stops` at
# the first, or waits and `needs` the operator. Further settings of the provider are the third.
CASES = {
    "429, Retry-After 3 s, twice": ([fail(429, 2, retry_after=3)], "goes on", ""),
    "429, retry-after-ms 2700, twice": ([fail(429, 2, retry_after=2.7)], "goes on", ""),
    "429, Retry-After 70 s": ([fail(429, 1, retry_after=70)], "goes on", ""),
    "503, Retry-After 6 s, seven times": ([fail(503, 7, retry_after=6)], "goes on", ""),
    "500, 502, 504": ([fail(500), fail(502), fail(504)], "goes on", ""),
    "500 nine times": ([fail(500, 9)], "goes on", ""),
    "529, twice": ([fail(529, 2)], "goes on", ""),
    "408, 409": ([fail(408), fail(409)], "goes on", ""),
    "stream: connection dropped, twice": ([stream("disconnect", 2, after_chunks=2)], "goes on", ""),
    "stream: ends early without a word, twice": ([stream("truncate", 2, after_chunks=3)], "goes on", ""),
    "stream: a chunk that is no JSON": ([stream("malformed", 1, after_chunks=2)], "goes on", ""),
    "stream: silent for 30 s": ([stream("stall", 1, stall_seconds=30)], "goes on", 'timeout = "3s"'),
    "stream: first token after 5 s": ([{"type": "slow_first_token", "seconds": 5}], "goes on", ""),
    "call: arguments that are not JSON": ([{"type": "tool_fault", "kind": "malformed_arguments"}], "goes on", ""),
    "call: a tool that nobody offered": ([{"type": "tool_fault", "kind": "unknown_tool"}], "goes on", ""),
    "400": ([fail(400)], "stops", ""),
    "404": ([fail(404)], "stops", ""),
    "422": ([fail(422)], "stops", ""),
    "401": ([fail(401)], "stops", ""),
    "403": ([fail(403)], "stops", ""),
    "402, twice": ([fail(402, 2)], "needs", ""),
}
# These last for the whole play, of three Myses.
LASTING = {
    "a quota of 40 requests a minute": (["--rpm", "40"], 75),
    "a quota of 60,000 tokens a minute": (["--tpm", "60000"], 75),
    "random: 429, 500, 503 at 10 % each, streams cut at 10 % and 5 %": (
        ["--error-rate", "429=0.1", "--error-rate", "500=0.1", "--error-rate", "503=0.1",
         "--stream-fault", "truncate=0.1", "--stream-fault", "disconnect=0.05"], 75),
}


def ours(url):
    """The requests of our client for answers, oldest first."""
    return [one for one in fetch(f"{url}/_llmock/requests")["requests"] if one["path"].endswith("/chat/completions")]


def waits(requests):
    """How long was waited after each refusal that asked for a wait: (asked, waited)."""
    pairs = []
    for before, after in zip(requests, requests[1:]):
        if before["status"] >= 400 and before["retry_after"] is not None:
            pairs.append((before["retry_after"], after["started_at"] - before["ended_at"]))
    return pairs


def report(name, url, swarm, is_fine, remark, is_alone):
    """One line about a case, and its journal in a file."""
    verdict = fetch(f"{url}/_llmock/verdict")
    text = fetch(f"{url}/_llmock/verdict?format=text")
    requests = ours(url)
    findings = collections.Counter(f"{one['severity']} {one['code']}" for one in verdict["findings"])
    told = "; ".join(f"{count} x {what}" for what, count in findings.items()) or "no finding"
    asked = waits(requests) if is_alone else []
    kept = f", waits {' '.join(f'{waited:.1f}>={wait:g}' for wait, waited in asked)} s" if asked else ""
    good = is_fine and verdict["passed"]
    print(f"{'holds ' if good else 'FAILED'} {name}: {verdict['attempts']} requests, "
          f"{verdict['faults_injected']} faults{kept}; judge: {told}; {remark}", flush=True)
    log = WORK / "results" / f"judged-{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-')}.txt"
    with log.open("w") as out:
        print(text, file=out)
        start = requests[0]["started_at"] if requests else 0
        for one in requests:
            print(f"{one['started_at'] - start:8.2f}s {one['duration']:6.2f}s {one['status']} {one['fingerprint']} "
                  f"{one['fault'] or '-'} retry_after={one['retry_after']} complete={one['completed']}", file=out)
        print(swarm.text(), file=out)
    return good


def need_of(swarm):
    """What the operator is told to do about a server that serves nobody."""
    status = json.loads(swarm.zoea("status", "--json"))
    return next((one["text"] for one in status["away"] if one["needs_operator"]), "")


def play_case(name, behaviors, should, extra, url, game):
    fetch(f"{url}/_llmock/reset", {}, "POST")
    fetch(f"{url}/_llmock/scenario", {"behaviors": behaviors})
    configuration = CONFIGURATION.format(url=url, game=game, extra=extra) + MYSIS.format(name="alpha")
    with Swarm(configuration, WORK / "results" / "swarm.jsonl") as swarm:
        asked = sum(one.get("retry_after") or 10 for one in behaviors for _ in range(one.get("times", 1)))

        def good():
            return sum(one["status"] == 200 and one["fault"] is None and one["completed"] for one in ours(url))

        def is_over():
            if swarm.count(event="state_changed", to="errored"):
                return "errored"
            pending = fetch(f"{url}/_llmock/scenario")["pending"]
            if should == "needs" and need_of(swarm):
                return "a need: " + need_of(swarm)
            return not pending and good() >= 5 and "goes on"

        try:
            came = wait_for("an end", is_over, 120 + 3 * asked, 1)
        except TimeoutError as error:
            came = str(error)
        if should != "goes on":
            # Whoever stops or waits asks no more, or only as a trial.
            time.sleep(10)
        is_fine = {"goes on": came == "goes on", "stops": came == "errored", "needs": came.startswith("a need")}[should]
        notices = ", ".join(f"{count} x {code}" for code, count in swarm.notices().items())
        swarm.stop()
        return report(name, url, swarm, is_fine, f"{came}; told: {notices or 'nothing'}", True)


def play_lasting(name, options, seconds, game):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [LLMOCK, "serve", "--port", str(port), *options]
    with Process(command, WORK / "results" / "llmock-lasting.txt"):
        wait_for("llmock", lambda: fetch(f"{url}/health"), 60)
        configuration = CONFIGURATION.format(url=url, game=game, extra="")
        configuration += "".join(MYSIS.format(name=one) for one in ("alpha", "beta", "gamma"))
        with Swarm(configuration, WORK / "results" / "swarm.jsonl") as swarm:
            time.sleep(seconds)
            errored = swarm.count(event="state_changed", to="errored")
            requests = ours(url)
            late = [one for one in requests if one["started_at"] > requests[-1]["started_at"] - seconds / 3]
            answered = sum(one["status"] == 200 and one["completed"] for one in late)
            notices = ", ".join(f"{count} x {code}" for code, count in swarm.notices().items())
            swarm.stop()
            statuses = collections.Counter(one["status"] for one in requests)
            remark = (f"statuses {dict(statuses)}, {answered} answers in the last third, {errored} errored; "
                      f"told: {notices or 'nothing'}")
            return report(name, url, swarm, errored == 0 and answered >= 3, remark, False)


def main():
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    wanted = [name for name in [*CASES, *LASTING] if not ONLY or any(word in name for word in ONLY)]
    good = []
    galaxy = [ZOEA, "galaxy", "--addr", ":0", "--tick", "300ms", "--logins-per-minute", "unlimited"]
    with (
        Process(galaxy, WORK / "results" / "galaxy.txt") as galaxy,
        Process([LLMOCK, "serve", "--port", str(port)], WORK / "results" / "llmock.txt"),
    ):
        wait_for("llmock", lambda: fetch(f"{url}/health"), 60)
        game = wait_for("the game", lambda: re.search(r"http://[0-9.:]+", galaxy.text()), 30).group()
        for name in wanted:
            if name in CASES:
                good.append(play_case(name, *CASES[name], url, game))
            else:
                good.append(play_lasting(name, *LASTING[name], game))
    print(f"{sum(good)} of {len(good)} cases hold")
    return 0 if good and all(good) else 1


sys.exit(main())
