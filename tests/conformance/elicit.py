"""A small game on the official Python SDK that asks the operator before anybody docks: elicit.py LEDGER PORT|stdio.

With version 1 of the SDK by `ctx.elicit`, on the stream of the call; with version 2 by a resolver, which the SDK turns
into a question in place of a result for clients of 2026-07-28. Each answer that the SDK took is a line in LEDGER.
"""
import json
import sys
from typing import Annotated

from pydantic import BaseModel, Field

try:
    from mcp.server.mcpserver import Context, Elicit, ElicitationResult, MCPServer, Resolve

    server = MCPServer("a game that asks")
    is_new = True
except ImportError:
    from mcp.server.fastmcp import Context, FastMCP

    server = FastMCP("a game that asks", port=int(sys.argv[2]) if sys.argv[2].isdigit() else 0)
    is_new = False

ledger = open(sys.argv[1], "a", buffering=1)


class Order(BaseModel):
    # Version 1 takes no Literal.
    ore: str = Field(description="What is to be taken", json_schema_extra={"enum": ["iron", "gold"]})
    count: int = Field(default=2, ge=1, le=9)
    hurry: bool = False


def taken(answer):
    data = answer.data.model_dump() if answer.action == "accept" else None
    ledger.write(json.dumps({"action": answer.action, "data": data}) + "\n")
    return json.dumps({"operator": answer.action, "taken": data})


if is_new:

    async def which_ore(ctx: Context) -> Order | Elicit[Order]:
        return Elicit("Which ore?", Order)

    @server.tool(description="Docks and takes ore. The operator says which.")
    async def dock(answer: Annotated[ElicitationResult[Order], Resolve(which_ore)]) -> str:
        return taken(answer)

else:

    @server.tool(description="Docks and takes ore. The operator says which.")
    async def dock(ctx: Context) -> str:
        return taken(await ctx.elicit("Which ore?", schema=Order))


@server.tool(description="Leaves the station.")
async def undock() -> str:
    return json.dumps({"message": "Undocked."})


@server.tool(description="The state of your ship.")
async def get_status() -> str:
    return json.dumps({"ship": "ready"})


if __name__ == "__main__":
    if sys.argv[2] == "stdio":
        server.run("stdio")
    elif is_new:
        server.run("streamable-http", port=int(sys.argv[2]))
    else:
        server.run("streamable-http")
