"""An agent in an environment that holds nothing but frontdesk_agent: served, asked, ended."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

AGENT = """
async def agent(request):
    yield "You said: "
    yield request.input
"""


def main() -> None:
    Path("shout.py").write_text(AGENT)
    command = [
        sys.executable,
        "-m",
        "frontdesk_agent",
        "serve",
        "shout:agent",
        "--port",
        "0",
        "--exit-with-parent",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdin is not None and served.stdout is not None
        url = served.stdout.readline().split()[-1]
        question = {"input": "hello", "session_id": "s", "user_id": "u"}
        request = urllib.request.Request(
            f"{url}/invoke", json.dumps(question).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=20) as answer:
            output = json.load(answer)["output"]
        served.stdin.close()
        code = served.wait(20)
    assert (output, code) == ("You said: hello", 0), (output, code)
    print(output)


if __name__ == "__main__":
    main()
