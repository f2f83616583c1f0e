"""``playout serve``: engines for clients on the network."""

from __future__ import annotations

import argparse
import contextlib
import logging
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from playout.cli.arguments import Parser, add_engine_arguments, add_log_file, engine_options
from playout.cli.network.limits import ServerLimits, add_limits, read_limits
from playout.cli.network.mqtt import broker_tls, check_broker, named_broker, own_broker, tls_reason
from playout.cli.settings import read_settings
from playout.games.errors import PlayoutError
from playout.games.support.log_file import log_to
from playout.protocols.base.cause import Formatter, log_to_standard_error
from playout.protocols.registry import PROTOCOLS, find
from playout.protocols.transport.address import Address, parse_address

if TYPE_CHECKING:
    import ssl

    from playout.protocols.transport.mqtt.client import Broker
    from playout.protocols.transport.sessions import Service

USUAL = "uci"
"""Protocol used if none is named."""
INSECURE = "anyone-may-come-and-listen"
"""The word that permits a server without token and TLS."""
BROKER = "127.0.0.1:1883"
GRACE = 10.0
"""Seconds for the sessions to end."""

logger = logging.getLogger(__name__)


def make_parser() -> Parser:
    """Returns the parser of the arguments."""
    parser = Parser(
        prog="playout serve",
        description="Serves engines to clients on the network, one session for each connection.",
        epilog="See docs/server.md.",
    )
    parser.add_argument(
        "--listen",
        metavar="[PROTOCOL=]HOST:PORT",
        action="append",
        default=[],
        help="TCP address to listen at; port 0 is any free port; repeatable",
    )
    parser.add_argument(
        "--mqtt",
        metavar="URL",
        nargs="?",
        const="",
        help="serve at the MQTT broker mqtt[s]://[USER@]HOST[:PORT][/NAME]; without a URL, at one in this process",
    )
    parser.add_argument("--broker", metavar="HOST:PORT", help=f"where the broker in this process listens; {BROKER}")
    parser.add_argument("--protocol", choices=list(PROTOCOLS), default=USUAL, help=f"{USUAL} if not given")
    add_engine_arguments(parser, "the protocol's default game")
    parser.add_argument("--token-file", metavar="FILE", type=Path, help="clients must show the token in FILE")
    parser.add_argument("--tls-cert", metavar="FILE", type=Path, help="certificate chain in PEM: clients must use TLS")
    parser.add_argument("--tls-key", metavar="FILE", type=Path, help="its private key, if it is not in the same file")
    parser.add_argument(
        "--password-file", metavar="FILE", type=Path, help="file with the password of the user in the URL of --mqtt"
    )
    parser.add_argument(
        "--ca", metavar="FILE", type=Path, help="certificates trusted for mqtts:// instead of the system's"
    )
    parser.add_argument("--insecure", metavar="WORD", help=f"{INSECURE} permits a server without token and TLS")
    add_log_file(parser)
    add_limits(parser)
    return parser


def run_serve(arguments: Sequence[str]) -> int:
    """Serves until SIGTERM, SIGHUP or an interrupt, then ends all sessions; returns the exit status.

    Raises:
        PlayoutError: if the arguments, the game or the options are wrong; no session has been served then.
    """
    words = make_parser().parse_args(arguments)
    if words.broker is not None and words.mqtt is None:
        words.mqtt = ""
    if not words.listen and words.mqtt is None:
        raise PlayoutError("serve: --listen HOST:PORT or --mqtt is needed")
    if words.insecure not in (None, INSECURE):
        raise PlayoutError(f"serve: --insecure: the word is {INSECURE}")
    places = [_place(text, words.protocol) for text in words.listen]
    broker = _broker(words)
    if words.insecure is None:
        _check_secure([address for _, address in places], words)
        if broker is not None:
            check_broker(broker)

    log_to_standard_error(Formatter("%(levelname)s %(threadName)s %(name)s: %(message)s"))
    log_to(words.log_file)
    logging.getLogger("playout.protocols").setLevel(logging.INFO)
    with stop_signals() as wait:
        return _serve(words, places, broker, wait)


@contextlib.contextmanager
def stop_signals() -> Iterator[Callable[[], object]]:
    """Yields a function that waits for SIGTERM, SIGINT, or SIGHUP if that is not ignored."""
    # Threads inherit this mask; only ``sigwait`` takes the signals.
    stops = {signal.SIGTERM, signal.SIGINT}
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # as nohup has it
        stops.add(signal.SIGHUP)
    signal.pthread_sigmask(signal.SIG_BLOCK, stops)
    try:
        yield lambda: signal.sigwait(stops)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)


def _serve(
    words: argparse.Namespace,
    places: Sequence[tuple[str, Address]],
    broker: Broker | None,
    wait: Callable[[], object],
) -> int:
    from playout.protocols.transport.files import raise_open_files
    from playout.protocols.transport.handshake import read_token
    from playout.protocols.transport.sessions import Sessions
    from playout.protocols.transport.tcp_server import TcpServer

    limits = read_limits(words)
    raise_open_files(limits.sessions)
    sessions = Sessions(limits.sessions, limits.sessions_per_address, limits.idle)
    names = dict.fromkeys(name for name, _ in places) or {words.protocol: None}
    services = {name: _service(name, words, limits) for name in names}
    token = None if words.token_file is None else read_token(words.token_file)
    tcp = TcpServer(sessions, token=token, tls=_tls(words), line=limits.line)
    open_at = []
    for name, address in places:
        try:
            told = tcp.listen(services[name], address)
        except OSError as error:
            raise PlayoutError(f"{address}: {error.strerror or error}") from error
        open_at.append(f"{name} {told}")
    tcp.start()
    for text in open_at:
        _say(text)
    mqtt = None
    if broker is not None:
        from playout.protocols.transport.mqtt.server import MqttServer

        embed = words.mqtt == ""
        mqtt = MqttServer(sessions, services, broker, tls=broker_tls(broker, words.ca), line=limits.line, embed=embed)
        mqtt.start()
        _say(f"mqtt {broker}")
    wait()
    tcp.stop()
    sessions.drain()
    ended = sessions.wait(GRACE - (0.0 if mqtt is None else mqtt.LONGEST_STOP))
    if mqtt is not None:
        mqtt.stop()
    if not ended:
        logger.error("some sessions did not end within %g s", GRACE)
    return 0 if ended else 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _broker(words: argparse.Namespace) -> Broker | None:
    """Returns the broker, or None if MQTT was not requested."""
    if words.mqtt is None:
        return None
    if words.mqtt:
        if words.broker is not None:
            raise PlayoutError("serve: --broker is for the broker in this process: --mqtt without URL")
        return named_broker(words.mqtt, words.password_file)
    return own_broker(words.broker or BROKER)


def _place(text: str, usual: str) -> tuple[str, Address]:
    name, equals, address = text.rpartition("=")
    if equals:
        find(name)
    return name if equals else usual, parse_address(address)


def _check_secure(addresses: Sequence[Address], words: argparse.Namespace) -> None:
    far = [address for address in addresses if not address.is_loopback]
    if far and (words.token_file is None or words.tls_cert is None):
        raise PlayoutError(
            f"serve: other machines can reach {far[0]}: it needs --token-file, and --tls-cert with --tls-key "
            f"(or --insecure {INSECURE})"
        )


def _tls(words: argparse.Namespace) -> ssl.SSLContext | None:
    if words.tls_cert is None:
        if words.tls_key is not None:
            raise PlayoutError("serve: --tls-key needs --tls-cert")
        return None
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(words.tls_cert, words.tls_key)
    except (OSError, ValueError) as error:
        raise PlayoutError(f"{words.tls_cert}: {tls_reason(error)}") from error
    return context


def _service(name: str, words: argparse.Namespace, limits: ServerLimits) -> Service:
    """Returns the protocol called ``name`` after opening one session, so that a wrong option is found before a client
    connects. Engines of a user's game have processes of their own.
    """
    from playout.cli.network.opening import opener
    from playout.cli.network.own_process import Engine
    from playout.games import catalogue
    from playout.protocols.serve import Inbox
    from playout.protocols.transport.sessions import Service

    entry = find(name)
    settings = read_settings(entry.game, words.game, engine_options(words), words.config)
    if not catalogue.is_built_in(settings.game):
        engine = Engine(name, settings, limits.rights)
        engine.check()
        return Service(name, engine.open)
    service = Service(name, opener(entry, catalogue.load(settings.game), settings, limits.rights))
    session, _ = service.open(Inbox())
    session.close()
    return service
