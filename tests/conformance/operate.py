"""Operates a running swarm through its control interface, with the official Python SDK of MCP.

operate.py RUN_JSON CONTROL_TOKEN: calls every tool of the contract and checks the answers.
"""

import asyncio
import json
import sys

from mcp import ClientSession
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

CONTRACT = """list_myses create_mysis start_mysis stop_mysis delete_mysis configure_mysis send_message
broadcast get_mission clear_mission add_note read_log search status""".split()

checks = 0


def check(holds, what):
    """Checks one condition."""
    global checks
    checks += 1
    if not holds:
        sys.exit(f"FAILED: {what}")


class Swarm:
    """The tools of the control interface as functions."""

    def __init__(self, session):
        self.session = session

    async def ask(self, tool, **arguments):
        result = await self.session.call_tool(tool, arguments)
        text = "".join(part.text for part in result.content)
        return result, text

    async def do(self, tool, **arguments):
        result, text = await self.ask(tool, **arguments)
        is_error = getattr(result, "is_error", getattr(result, "isError", None))
        check(not is_error, f"{tool} {arguments}: {text}")
        # A second text says what was left out.
        return json.loads(result.content[0].text)

    async def refuses(self, words, tool, **arguments):
        try:
            result, text = await self.ask(tool, **arguments)
        except Exception as error:  # a protocol error is a refusal, too
            check(words in str(error), f"{tool} {arguments}: {error!r}")
            return
        is_error = getattr(result, "is_error", getattr(result, "isError", None))
        check(is_error and words in text, f"{tool} {arguments} is refused with `{words}`: {text}")

    async def until(self, what, holds):
        for _ in range(300):
            if await holds():
                check(True, what)
                return
            await asyncio.sleep(0.1)
        check(False, what)


async def operate(session):
    await session.initialize()
    listed = await session.list_tools()
    names = {tool.name for tool in listed.tools}
    for name in CONTRACT:
        check(name in names, f"the tool {name} is offered")
    swarm = Swarm(session)

    async def state(name):
        myses = await swarm.do("list_myses")
        return next((mysis["state"] for mysis in myses if mysis["name"] == name), None)

    await swarm.do("create_mysis", name="sdk", start=True)

    async def runs():
        return await state("sdk") == "running"

    await swarm.until("it runs", runs)
    await swarm.refuses("already running", "start_mysis", name="sdk")
    await swarm.do("configure_mysis", name="sdk", temperature=0.5)
    await swarm.refuses("0 to 2", "configure_mysis", name="sdk", temperature=7)
    await swarm.do("add_note", name="sdk", text="Keep fuel for the way home.")
    stored = await swarm.do("send_message", name="sdk", text="what is in the hold of sdk?")
    check(stored, "it says where it stands")

    async def has_answered():
        rows = await swarm.do("read_log", name="sdk", limit=0)
        asked = [row["seq"] for row in rows if row["content"] == "what is in the hold of sdk?"]
        return asked and any(row["kind"] == "reply" and row["seq"] > asked[0] for row in rows)

    await swarm.until("the message is answered", has_answered)
    newest = await swarm.do("read_log", name="sdk", limit=1)
    later = await swarm.do("read_log", name="sdk", after_seq=newest[0]["seq"] - 1, limit=1)
    check(later[0]["seq"] == newest[0]["seq"], "pages go on where they ended")
    found = await swarm.do("search", query="in the hold of sdk", mysis="sdk")
    check(any(row["kind"] == "prompt" for row in found), "a search finds it")
    await swarm.do("broadcast", text="Sell everything.")
    mission = await swarm.do("get_mission")
    check(mission["text"] == "Sell everything.", "the mission stands")
    check((await swarm.do("clear_mission"))["cleared"], "it is cleared")
    check((await swarm.do("get_mission"))["text"] is None, "and gone")
    status = await swarm.do("status")
    check(status["states"]["running"] >= 1 and status["pid"] > 0, "the status says who runs")
    await swarm.do("get_books")
    await swarm.do("list_accounts")
    await swarm.do("stop_mysis", name="sdk")
    check(await state("sdk") == "stopped", "it is stopped")
    await swarm.refuses("press 'r' to relaunch", "send_message", name="sdk", text="hello?")
    await swarm.refuses("no mysis is called", "start_mysis", name="nobody")
    await swarm.refuses("has no parameter", "start_mysis", name="sdk", force="yes")
    await swarm.refuses("needs a parameter", "send_message", name="sdk")
    await swarm.refuses("no_such_tool", "no_such_tool")
    await swarm.do("clear_notes", name="sdk")
    await swarm.do("delete_mysis", name="sdk")
    check(await state("sdk") is None, "it is gone")

    looks = dict(theme="dark", letters="unicode", motion="full", mouse="ours", notify="off",
                 panel="with_room")
    screen = await swarm.do("attach_terminal", size=[100, 30], appearance=looks, depth="true")
    shown, frame = "", {"number": 0}
    while "ZOEA" not in shown:
        frame = await swarm.do("read_terminal", terminal=screen["terminal"], seen=frame["number"])
        for _, _, _, text in (frame["change"] or {"runs": []})["runs"]:
            shown += text if isinstance(text, str) else text[0]
    check(True, "the screen is shown")
    # crossterm's own form of a key.
    key = {"event": {"Key": {"code": {"Char": "q"}, "modifiers": "", "kind": "Press", "state": ""}}}
    await swarm.do("use_terminal", terminal=screen["terminal"], first=0, inputs=[key])
    while frame["over"] is None:
        frame = await swarm.do("read_terminal", terminal=screen["terminal"], seen=frame["number"])
    check(frame["over"] == "left", "q leaves")
    check((await swarm.do("status"))["pid"] == status["pid"], "and the program goes on")


async def main(run_file, token_file):
    with open(run_file) as file:
        url = json.load(file)["control"]
    with open(token_file) as file:
        headers = {"Authorization": f"Bearer {file.read().strip()}"}
    http = create_mcp_http_client(headers=headers)
    async with streamable_http_client(url, http_client=http) as streams:
        async with ClientSession(streams[0], streams[1]) as session:
            await operate(session)
    print(f"{checks} checks hold")


asyncio.run(main(*sys.argv[1:]))
