"""`python -m frontdesk_agent serve module:object`."""

import argparse
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from frontdesk_agent.serving import ServeError, as_app, load, serve


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        app, name = as_app(load(options.target), name=options.name, secret_ref=options.secret_ref)
        serve(app, name, host=options.host, port=options.port, exit_with_parent=options.exit_with_parent)
    except ServeError as error:
        sys.stderr.write(f"frontdesk_agent: {error}\n")
        return 2
    except KeyboardInterrupt:  # uvicorn has shut down by now and passes the signal on
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m frontdesk_agent")
    commands = parser.add_subparsers(required=True, metavar="command")
    command = commands.add_parser("serve", help="put an agent behind HTTP")
    command.add_argument("target", metavar="module:object", help="an agent, or an application made of one")
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    command.add_argument("--port", type=int, default=8000, help="0 for any free port (default: %(default)s)")
    command.add_argument("--name", help="what the ready line calls it")
    command.add_argument("--secret-ref", help="AGENT_SECRET_<NAME> or file:<name>: the bearer token's secret")
    command.add_argument(
        "--exit-with-parent", action="store_true", help="stop when standard input reaches its end"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
