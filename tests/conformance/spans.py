"""Asks a running Phoenix for what it got, and prints the tree of one turn. `spans.py URL [contents]`.

The exit status is 0 if every kind of span is there, belongs to its turn, and was understood by Phoenix
(which turns the names of the conventions for generative AI into its own), and with `contents` if it has
the messages as well.
"""

import json
import sys
import urllib.parse
import urllib.request

base, wants_contents = sys.argv[1], "contents" in sys.argv[2:]


def spans():
    """All spans of the project, page by page."""
    found, cursor = [], None
    while True:
        query = {"limit": 1000} | ({"cursor": cursor} if cursor else {})
        url = f"{base}/v1/projects/default/spans?{urllib.parse.urlencode(query)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
            page = json.load(answer)
        found += page["data"]
        cursor = page.get("next_cursor")
        if not cursor:
            return found


def children(of, everything):
    """The spans below one, in their order."""
    own = [span for span in everything if span.get("parent_id") == of["context"]["span_id"]]
    return sorted(own, key=lambda span: span["start_time"])


def line(span):
    """A span in one line: what Phoenix takes it for, and what tells most."""
    told = span["attributes"]
    shown = [f"{span['name']}  [{span['span_kind']}]"]
    for key in (
        "session.id",
        "llm.model_name",
        "llm.token_count.prompt",
        "llm.token_count.completion",
        "gen_ai.response.time_to_first_chunk",
        "mcp.method.name",
        "zoea.turn",
        "zoea.row",
        "zoea.call.status",
        "error.type",
    ):
        if key in told:
            shown.append(f"{key}={told[key]}")
    if span["status_code"] == "ERROR":
        shown.append(f"status: {span['status_message']}")
    return "  ".join(shown)


everything = spans()
turns = [span for span in everything if not span.get("parent_id")]
known = {span["context"]["span_id"] for span in everything}
orphans = [span for span in everything if span.get("parent_id") and span["parent_id"] not in known]
kinds = {}
for span in everything:
    kinds[span["span_kind"]] = kinds.get(span["span_kind"], 0) + 1
print(f"{len(everything)} spans of {len(turns)} turns: {kinds}")


def richness(turn):
    """A turn of several calls says more, and one of a dozen is enough to read."""
    below = children(turn, everything)
    return (len({span["name"] for span in below}) if len(below) <= 12 else 0, len(below))


shown = max(turns, key=richness)
print(line(shown))
for below in children(shown, everything):
    print("  " + line(below))

faults = []
if orphans:
    faults.append(f"{len(orphans)} spans without their turn")
for kind in ("AGENT", "LLM", "TOOL"):
    if not kinds.get(kind):
        faults.append(f"no span of kind {kind}")
asked = [span for span in everything if span["span_kind"] == "LLM"]
if not all("session.id" in span["attributes"] for span in asked):
    faults.append("a model call without a conversation")
if wants_contents:
    for key in ("llm.input_messages.0.message.role", "llm.output_messages.0.message.role"):
        if not any(key in span["attributes"] for span in asked):
            faults.append(f"no {key}")
print("; ".join(faults) or "everything is there")
sys.exit(bool(faults))
