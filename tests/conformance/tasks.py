"""A small game on the official Python SDK that works on its actions as tasks (SEP-2663): tasks.py LEDGER PORT.

The SDK has extensions, but not this one. Tasks are kept in memory; each call that was carried out is a line in LEDGER.
"""
import asyncio
import itertools
import json
import sys
import uuid
from datetime import datetime, timezone

from mcp.server.extension import Extension, MethodBinding
from mcp.server.mcpserver import MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, RequestParams, TextContent

TASKS = "io.modelcontextprotocol/tasks"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
WORK_SECONDS = 0.3


class TaskParams(RequestParams):
    task_id: str


class Tasks(Extension):
    """Answers actions with a task, if the client takes tasks."""

    identifier = TASKS

    def __init__(self, ledger):
        self.ledger = open(ledger, "a", buffering=1)
        self.tasks = {}
        self.running = set()

    def methods(self):
        return [
            MethodBinding("tasks/get", TaskParams, self.get),
            MethodBinding("tasks/cancel", TaskParams, self.cancel),
        ]

    async def intercept_tool_call(self, params, ctx, call_next):
        meta = dict(ctx.meta or {})
        takes_tasks = TASKS in (meta.get(CAPABILITIES) or {}).get("extensions", {})
        if params.name.startswith("get_"):
            return await call_next(ctx)
        name = meta.get("zoea/call")
        if not takes_tasks:
            self.carry_out(name, params.name)
            return await call_next(ctx)
        task_id, now = str(uuid.uuid4()), datetime.now(timezone.utc).isoformat()
        task = {"taskId": task_id, "status": "working", "createdAt": now, "lastUpdatedAt": now,
                "ttlMs": 600_000, "pollIntervalMs": 50}
        self.tasks[task_id] = task
        running = asyncio.ensure_future(self.work(task, name, params.name, call_next, ctx))
        self.running.add(running)
        running.add_done_callback(self.running.discard)
        return {"resultType": "task", **task}

    async def work(self, task, name, tool, call_next, ctx):
        await asyncio.sleep(WORK_SECONDS)
        self.carry_out(name, tool)
        result = await call_next(ctx)
        if isinstance(result, CallToolResult):
            result = result.model_dump(mode="json", by_alias=True, exclude_none=True)
        task.update(status="completed", result=result, lastUpdatedAt=datetime.now(timezone.utc).isoformat())

    def carry_out(self, name, tool):
        self.ledger.write(json.dumps({"call": name, "command": tool, "ok": True}) + "\n")

    async def get(self, ctx, params):
        if params.task_id not in self.tasks:
            raise MCPError(code=-32602, message="Task not found")
        return {"resultType": "complete", **self.tasks[params.task_id]}

    async def cancel(self, ctx, params):
        if params.task_id not in self.tasks:
            raise MCPError(code=-32602, message="Task not found")
        return {"resultType": "complete"}


server = MCPServer("a small game", extensions=[Tasks(sys.argv[1])])
ore = itertools.count(1)


def said(answer):
    return CallToolResult(content=[TextContent(type="text", text=json.dumps(answer))])


@server.tool(description="Docks at the station.")
async def dock() -> CallToolResult:
    return said({"message": "Docked."})


@server.tool(description="Leaves the station.")
async def undock() -> CallToolResult:
    return said({"message": "Undocked."})


@server.tool(description="Mines one unit of ore.")
async def mine() -> CallToolResult:
    return said({"mined": 1, "total": next(ore)})


@server.tool(description="The state of your ship.")
async def get_status() -> CallToolResult:
    return said({"ship": "ready"})


if __name__ == "__main__":
    server.run("streamable-http", port=int(sys.argv[2]))
