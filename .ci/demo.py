"""A demo on an empty database: ready within ten seconds, and nothing left of it after SIGTERM."""

import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

READY_WITHIN_S = 10


def main() -> None:
    began = time.monotonic()
    with subprocess.Popen(
        [sys.executable, "manage.py", "demo", "--port", "0"], stdout=subprocess.PIPE, text=True
    ) as demo:
        assert demo.stdout is not None
        address = next(line for line in demo.stdout if "is ready at" in line).split()[-1]
        took = time.monotonic() - began
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{address}readyz", timeout=5) as answer:
            assert answer.status == 200
        agents = started_by(demo.pid)
        demo.send_signal(signal.SIGTERM)
        code = demo.wait(20)
    print(f"ready after {took:.1f} s with {len(agents)} sample agents")
    assert took < READY_WITHIN_S, "too slow"
    assert len(agents) == 2 and code == 0, (agents, code)
    assert not [pid for pid in agents if Path(f"/proc/{pid}").exists()], "agents were left behind"


def started_by(pid: int) -> list[int]:
    stats = {path.parent.name: path.read_text() for path in Path("/proc").glob("[0-9]*/stat")}
    return [int(child) for child, stat in stats.items() if stat.rpartition(")")[2].split()[1] == str(pid)]


if __name__ == "__main__":
    main()
