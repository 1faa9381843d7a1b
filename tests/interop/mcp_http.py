"""Our MCP server's handlers over the SDK's HTTP, for suites that speak nothing else; it is offered to nobody.

``python -m tests.interop.mcp_http PORT HOME``
"""

import sys

import uvicorn
from tests.blackbox.world import PROGRAM

from nightledger.doors.server import Door

if __name__ == "__main__":
    port, home = sys.argv[1:]
    door = Door("lean", (sys.executable, str(PROGRAM)), (f"--home={home}",))
    uvicorn.run(door.server().streamable_http_app(), host="127.0.0.1", port=int(port), log_level="warning")
