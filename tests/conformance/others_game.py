"""A server on FastMCP whose tools have all kinds of names and answers: others_game.py stdio|PORT [stateless] [json] [sse]."""
import asyncio
import base64
import sys
from enum import Enum
from typing import Literal

from fastmcp import Context, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.utilities.types import Image
from pydantic import BaseModel, Field

try:
    from fastmcp.tools import ToolResult

    THEN = "Order | None"
except ImportError:
    from fastmcp.tools.tool import ToolResult

    THEN = "dict | None"  # Version 2 never lists its tools if a schema refers to itself.

server = FastMCP("a game of all kinds")
DOT = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


class Ore(Enum):
    IRON = "iron"
    GOLD = "gold"


class Order(BaseModel):
    ore: Ore
    count: int = Field(ge=1, le=9)
    then: THEN = None


@server.tool(description="The state of your ship.")
def get_status() -> dict:
    return {"ship": "ready", "fuel": 7}


@server.tool(name="fleet.scan", description="Scans by a name with a point.")
def scan(radius: float = 1.5) -> list[int]:
    return [1, 2, 3]


@server.tool(name="market/prices", description="Prices by a name with a slash.")
def prices(ore: Literal["iron", "gold"], limit: int | None = None) -> str:
    return f"{ore}: 12"


@server.tool(name="survey_" + "of_the_outer_belt_" * 5, description="Surveys by a long name.")
def survey() -> str:
    return "nothing there"


@server.tool(description="Orders, with a schema that refers to itself.")
async def order(order: Order, ctx: Context) -> Order:
    await ctx.info("ordered")
    return order


@server.tool(description="Mines for two seconds, with progress.")
async def mine(ctx: Context) -> str:
    for step in range(10):
        await ctx.report_progress(step, 10, f"step {step}")
        await asyncio.sleep(0.2)
    return "mined"


@server.tool(description="A picture.")
def look() -> Image:
    return Image(data=DOT, format="png")


@server.tool(description="Nothing at all.")
def rest() -> None:
    return None


@server.tool(description="Structured content that differs from the text.")
def both() -> ToolResult:
    return ToolResult(content="the text", structured_content={"the": "structure"})


@server.tool(description="Fails in words.")
def refuse() -> str:
    raise ToolError("you are not docked")


@server.tool(description="Fails with an exception.")
def fail() -> str:
    raise ValueError("an error of the server")


@server.tool(description="Half a megabyte of text.")
def much() -> str:
    return "ore " * 130_000


if __name__ == "__main__":
    if sys.argv[1] == "stdio":
        server.run("stdio", show_banner=False)
    elif "sse" in sys.argv:
        server.run("sse", show_banner=False, port=int(sys.argv[1]))
    else:
        server.run("http", show_banner=False, port=int(sys.argv[1]), stateless_http="stateless" in sys.argv,
                   json_response="json" in sys.argv)
