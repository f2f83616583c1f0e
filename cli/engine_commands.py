"""``playout uci`` and the other engine commands: the engine on standard input and output."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from playout.cli.arguments import Parser, add_engine_arguments, add_log_file, engine_options
from playout.cli.settings import read_settings
from playout.games.support.log_file import WRITTEN, log_lines, log_to
from playout.protocols.base.cause import Formatter, log_to_standard_error
from playout.protocols.registry import Argument, find

if TYPE_CHECKING:
    from playout.engine.terms.info import SearchInfo, SearchResult
    from playout.protocols.base.protocol import Protocol
    from playout.protocols.serve import Inbox

logger = logging.getLogger(__name__)


class _Prefixed(Formatter):
    """Begins each line of a record, tracebacks included, with ``prefix``."""

    def __init__(self, prefix: str) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")
        self._prefix = prefix

    def format(self, record: logging.LogRecord) -> str:
        return "\n".join(self._prefix + line for line in super().format(record).splitlines())


def _add(parser: Parser, argument: Argument) -> None:
    """Adds an argument that only this protocol has."""
    flag = "--" + argument.name.replace("_", "-")
    if isinstance(argument.default, bool):
        parser.add_argument(flag, action="store_true", help=argument.help)
        return
    choices = argument.choices or None
    parser.add_argument(flag, type=argument.read, choices=choices, default=argument.default, help=argument.help)


def _log_thoughts(event: SearchInfo | SearchResult) -> None:
    """Logs the result of a search, for ``--verbose``."""
    from playout.cli.thinking import describe
    from playout.engine.terms.info import SearchInfo
    from playout.results import result_of

    if not isinstance(event, SearchInfo):
        logger.info("%s thinking: %s", event.move, describe(result_of(event)))


def run_by_first_line() -> int | None:
    """Serves the protocol that the first line of standard input belongs to.

    Returns the exit status, None if there is no line.
    """
    from playout.protocols.first_line import protocol_of
    from playout.protocols.transport.stdio import first_line

    line, begun = first_line()
    return run_engine(protocol_of(line), (), begun) if begun else None


def make_parser(protocol: str) -> Parser:
    """Returns the parser of the arguments of the command for ``protocol``."""
    entry = find(protocol)
    parser = Parser(prog=f"playout {protocol}", description=f"Runs the engine under {protocol.upper()}.")
    add_engine_arguments(parser, entry.game)
    parser.add_argument(
        "--verbose", action="store_true", help="logs value, positions searched and line of each move to standard error"
    )
    add_log_file(parser)
    for argument in entry.arguments:
        _add(parser, argument)
    if protocol == "gnubg":
        parser.add_argument("--listen", metavar="HOST:PORT", help="serves this local address instead of standard input")
    return parser


def run_engine(protocol: str, arguments: Sequence[str], begun: bytes = b"") -> int:
    """Serves ``protocol`` until the other side ends the session, and returns the exit status.

    ``begun`` is what has been read of standard input already.

    Raises:
        PlayoutError: if the arguments, the game or the options are wrong; no input has been read then.
    """
    entry = find(protocol)
    words = make_parser(protocol).parse_args(arguments)
    settings = read_settings(entry.game, words.game, engine_options(words), words.config)
    level = logging.INFO if words.verbose else logging.WARNING
    log_to_standard_error(_Prefixed(entry.log_prefix), level)
    log_to(words.log_file)
    if entry.greeting:
        log_lines(WRITTEN, [entry.greeting])
        sys.stdout.write(f"{entry.greeting}\n")
        sys.stdout.flush()

    from playout.cli.stuck import served
    from playout.engine.session import Session
    from playout.games import catalogue
    from playout.protocols.serve import Inbox, serve
    from playout.protocols.transport.stdio import serve_stdio

    own = {argument.name: getattr(words, argument.name) for argument in entry.arguments}

    def run(start: Callable[[Protocol, Inbox], None]) -> None:
        """Runs one session from start to end."""
        inbox = Inbox()

        def post(event: SearchInfo | SearchResult) -> None:
            if words.verbose:
                _log_thoughts(event)
            inbox.post(event)

        session = Session(catalogue.load(settings.game), post=post)
        with served(session, inbox):
            settings.apply(session)
            start(entry.open(session, inbox.call, own), inbox)

    if getattr(words, "listen", None) is None:
        run(lambda opened, inbox: serve_stdio(opened, inbox, begun))
        return 0
    from playout.protocols.backgammon.gnubg_socket import address, listen, serve_connections

    server = listen(address(words.listen))
    sys.stderr.write("listening at {}:{}\n".format(*server.getsockname()[:2]))
    sys.stderr.flush()
    serve_connections(server, lambda stream: run(lambda protocol, inbox: serve(protocol, stream, inbox)))
    return 0
