"""What a night showed: what was told and when, what was lost, what grew."""
import calendar
import collections
import json
import re
import statistics
import time

from troubles import AFTERWARDS


# Notices of a Mysis that are about what the operator gave or what concerns others.
OF_SWARM = ("held_back", "not_delivered")


def lines(path):
    """The JSON objects of a file, one a line; what is cut off is left out."""
    found = []
    for line in path.read_text(errors="replace").splitlines() if path.exists() else []:
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def clock(at):
    return time.strftime("%H:%M:%S", time.gmtime(at))


def seconds_of(text):
    """A time of RFC 3339 in seconds since 1970."""
    whole, _, rest = text.rstrip("Z").partition(".")
    return calendar.timegm(time.strptime(whole, "%Y-%m-%dT%H:%M:%S")) + float(f"0.{rest or 0}")


def is_amber(name, value):
    return name.startswith("zoea_server_light") and value == 1


def is_alarm(name, value):
    """What is red is in `zoea_server_away`, too."""
    return not name.startswith("zoea_mailbox") and (is_amber(name, value) or not name.startswith("zoea_server_light"))


def alarms_of(directory):
    """Everything that was raised: (time, channel, words)."""
    found = [
        (seconds_of(alert["at"]), "alert", f"{alert['cause']}: {alert['why']}" + (f" ({alert['count']} Myses)" if alert["count"] else ""))
        for alert in lines(directory / "alerts.jsonl")
    ]
    seen, before, away = lines(directory / "seen.jsonl"), set(), set()
    for one in seen:
        if one["kind"] == "metrics":
            told = one["told"].items()
            # A light is amber where a failure may be one conversation's; it is no alarm, and counted apart.
            now = {(name, "amber" if is_amber(name, value) else "metric") for name, value in told if is_alarm(name, value)}
            found += [(one["at"], channel, name) for name, channel in now - before]
            before = now
        if one["kind"] == "status":
            now = {f"{each['server']}: {each['text']}" for each in one["away"]}
            now |= {f"warning {code}" for code in one["warnings"]} | ({one["trouble"]} if one["trouble"] else set())
            now |= {one["silence"]} if one["silence"] else set()
            names = {name.split(":")[0] for name in now}
            found += [(one["at"], "status", words) for words in sorted(now) if words.split(":")[0] not in away]
            away = names
    for path in sorted(directory.glob("swarm-*.out")):
        for event in lines(path):
            is_of_swarm = "mysis" not in event or event.get("code") in OF_SWARM
            if event.get("event") == "host" and event.get("severity") in ("warn", "error") and is_of_swarm:
                found.append((seconds_of(event["at"]), "event", f"{event['code']}: {event['text']}"))
    return sorted(found)


def cause_of(alarm, marks):
    """The trouble that an alarm is about, if any."""
    at, _, words = alarm
    for mark in reversed(marks):
        is_during = mark["from"] - 1 <= at <= mark["until"] + AFTERWARDS
        if is_during and any(part in words.lower() for part in mark["explains"]):
            return mark["name"]
    return None


def losses(directory, night):
    """What was lost or done twice, in words, and the figures of calls and orders."""
    wrong, calls, prompts = [], {}, collections.Counter()
    ids = {}
    for row in lines(directory / "export.jsonl"):
        if row.get("record") == "mysis":
            ids[row["id"]] = row["name"]
        if row.get("record") != "row":
            continue
        if row["kind"] == "prompt":
            prompts[row["content"]] += 1
        for place, call in enumerate(row.get("tool_calls") or []):
            calls[f"{row['mysis_id']}.{row['seq']}.{place}"] = call["status"]
    done = [line["call"] for line in lines(directory / "ledger.jsonl") if line.get("ok") is True and line.get("call")]
    for call, count in collections.Counter(done).items():
        if count > 1:
            wrong.append(f"{call} was carried out {count} times")
        if call not in calls:
            wrong.append(f"{call} was carried out and never recorded")
        elif calls.get(call) == "not_executed":
            wrong.append(f"{call} was carried out and is said not to be executed")
    for order in night["orders"]:
        count = prompts[order["text"]]
        if count > 1 or (order["acknowledged"] and count == 0):
            wrong.append(f"`{order['text']}` stands {count} times, acknowledged: {order['acknowledged']}")
    figures = {
        "Myses": len(ids), "calls": len(calls), "carried out by the game": len(done),
        **{f"calls {status}": count for status, count in sorted(collections.Counter(calls.values()).items())},
        "orders": len(night["orders"]), "orders acknowledged": sum(bool(order["acknowledged"]) for order in night["orders"]),
    }
    return wrong, figures


def grown(directory, night):
    """The table of what grew, in the longest run of the program without a kill, and over all."""
    sizes = [one for one in lines(directory / "seen.jsonl") if one["kind"] == "sizes"]
    by_run = collections.Counter(one["run"] for one in sizes)
    longest = by_run.most_common(1)[0][0]
    of_run = [one for one in sizes if one["run"] == longest]
    # The first minute fills caches.
    steady = [one for one in of_run if one["at"] > of_run[0]["at"] + 60] or of_run
    rows = []
    for name, what, which in (
        ("swarm_mb", "memory of the program (longest run)", steady), ("model_mb", "memory of the pilot", sizes),
        ("game_mb", "memory of the galaxy", sizes), ("files", "open files of the program", steady),
        ("log_mb", "log files", sizes), ("database_mb", "database with its log", sizes), ("home_mb", "whole home", sizes),
    ):
        values = [(one["at"], one[name]) for one in which if one.get(name) is not None]
        hours = max((values[-1][0] - values[0][0]) / 3600, 1e-9)
        first, last = values[0][1], values[-1][1]
        rows.append((what, first, max(value for _, value in values), last, (last - first) / hours))
    loads = [one["load"] for one in sizes]
    return rows, (min(loads), statistics.mean(loads), max(loads))


def first_told(mark, alarms, marks, channel):
    """Seconds from the beginning of a trouble until this channel told of it, and its words."""
    for alarm in alarms:
        if alarm[1] == channel and alarm[0] >= mark["from"] - 1 and cause_of(alarm, marks) == mark["name"]:
            return f"{max(alarm[0] - mark['from'], 0):.0f} s"
    return "–"


def is_reported(mark, report):
    """Whether the report says it, with the minute in which it began or the next one."""
    minutes = {time.strftime("%H:%M", time.gmtime(mark["from"] + more)) for more in (0, 60)}
    minutes |= {time.strftime("%H:%M", time.localtime(mark["from"] + more)) for more in (0, 60)}
    for line in report.splitlines():
        if any(minute in line for minute in minutes) and any(re.search(words, line, re.I) for words in mark["reported"]):
            return True
    return False


def print_page(directory):
    night = json.loads((directory / "night.json").read_text())
    marks, alarms = night["marks"], alarms_of(directory)
    wrong, figures = losses(directory, night)
    judged = [(alarm, cause_of(alarm, marks)) for alarm in alarms]
    rows, load = grown(directory, night)
    sound = night["check"].startswith("[") is False
    page = [
        f"## Night of {time.strftime('%Y-%m-%d %H:%M', time.gmtime(night['begun']))} UTC, {(night['over'] - night['begun']) / 60:.0f} minutes",
        "",
        f"{night['version']}, {night['asked']['myses']} Myses, model {night['asked']['latency']} an answer, tick 1 s, seed {night['asked']['seed']}; "
        f"{night['cores']} cores shared with others, load {load[0]:.1f} to {load[2]:.1f} (mean {load[1]:.1f}); disk: {night['disk']}.",
        "",
        "| trouble (UTC) | lasted | event | alert | metric | `status` | in the report |",
        "|---|--:|--:|--:|--:|--:|---|",
    ]
    for mark in marks:
        told = [first_told(mark, alarms, marks, channel) for channel in ("event", "alert", "metric", "status")]
        said = "yes" if is_reported(mark, night["report"]) else "**no**"
        page.append(f"| {clock(mark['from'])} {mark['name']} | {mark['until'] - mark['from']:.0f} s | {' | '.join(told)} | {said} |")
    page += ["", "| alarms by | true | false |", "|---|--:|--:|"]
    for channel in ("event", "alert", "metric", "status", "amber"):
        of = [cause for (_, by, _), cause in judged if by == channel]
        page.append(f"| {channel} | {sum(cause is not None for cause in of)} | {sum(cause is None for cause in of)} |")
    false = [alarm for alarm, cause in judged if cause is None and alarm[1] != "amber"]
    page += ["", f"False alarms ({len(false)}; the first 40):", ""] if false else ["", "No false alarm."]
    page += [f"- {clock(at)} {by}: {words[:200]}" for at, by, words in false[:40]]
    page += ["", "| what grew | first | most | last | in an hour |", "|---|--:|--:|--:|--:|"]
    page += [f"| {what} | {first:.1f} | {most:.1f} | {last:.1f} | {hourly:+.1f} |" for what, first, most, last, hourly in rows]
    page += ["", "| figure | |", "|---|--:|"] + [f"| {name} | {value:,} |" for name, value in figures.items()]
    page += ["", f"Lost or done twice: {len(wrong)}. Database sound: {'yes' if sound else 'no'}. The program ended in good order: {night['ended'] == 0}."]
    page += [f"- {text}" for text in wrong[:40]]
    text = "\n".join(page) + "\n"
    (directory / "page.md").write_text(text)
    (directory / "report.md").write_text(night["report"])
    print(text)
    return 0 if sound and not wrong and night["ended"] == 0 else 1
