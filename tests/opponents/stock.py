"""The command ``playout`` as a fork of a process that has imported it already: in 20 ms in place of 300.

``stock.py LISTENER`` is that process, the stock; LISTENER is the number of its socket's descriptor, and it ends with
its standard input. ``stock.py ADDRESS WORDS...`` is a messenger: it hands its standard streams and its words to the
stock, and ends as the fork does, with the same status or by the same signal. It passes on the signals that ask for an
end; if it is killed, so is the fork. The first of the words are statements to run before the command.
"""

from __future__ import annotations

import _signal
import _socket
import array
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # a messenger imports small modules only
    from collections.abc import Callable

RELAYED = (_signal.SIGTERM, _signal.SIGINT, _signal.SIGHUP)
LONGEST = 2**17
"""Bytes of a request."""
MODULES = (
    *("chess", "importlib.resources.readers", "playout.cli.engine_commands", "playout.cli.main", "playout.cli.stuck"),
    *("playout.engine.session", "playout.protocols.serve", "playout.protocols.uci.universal"),
    *("playout.protocols.gtp.protocol", "playout.protocols.xboard.protocol"),
)
"""Modules that most engines import."""


def messenger(address: str, words: list[str]) -> None:
    """Has the stock run ``playout`` with the words, and ends as it does."""
    _signal.pthread_sigmask(_signal.SIG_BLOCK, RELAYED)
    stock = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
    stock.connect(address)
    request = marshal.dumps((words, os.getcwd(), dict(os.environ)))
    stock.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array.array("i", (0, 1, 2)))])
    number = int(stock.recv(64))
    for stream in (0, 1, 2):
        os.close(stream)  # the other side is to see when the fork closes its own
    for relayed in RELAYED:
        _signal.signal(relayed, lambda got, _: os.kill(number, got))
    _signal.pthread_sigmask(_signal.SIG_UNBLOCK, RELAYED)
    status = int(stock.recv(64) or 1)
    if status < 0:
        _signal.signal(-status, _signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    os._exit(status)


def stock(number: int) -> Callable[[], int]:
    """Forks for each request, and returns in the fork only, with what it is to run."""
    import gc
    import importlib
    import select

    for name in MODULES:
        importlib.import_module(name)
    gc.freeze()  # the forks share the memory
    listener = _socket.socket(fileno=number)
    waking, woken = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
    _signal.signal(_signal.SIGCHLD, lambda *_: None)
    _signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    forks: dict[int, _socket.socket] = {}
    while True:
        ready = select.select([0, number, waking, *(messenger.fileno() for messenger in forks.values())], [], [])[0]
        if 0 in ready:
            os._exit(0)
        if waking in ready:
            os.read(waking, 4096)
            for fork in list(forks):
                ended, status = os.waitpid(fork, os.WNOHANG)
                if ended:
                    tell(forks.pop(fork), os.waitstatus_to_exitcode(status))
        for fork, messenger in forks.items():
            if messenger.fileno() in ready and not messenger.recv(1, _socket.MSG_PEEK):
                os.kill(fork, _signal.SIGKILL)
        if number in ready:
            descriptor, _ = listener._accept()
            messenger = _socket.socket(fileno=descriptor)
            request, [(_, _, numbers)], _, _ = messenger.recvmsg(LONGEST, _socket.CMSG_SPACE(12))
            streams = [*array.array("i", numbers)]
            fork = os.fork()
            if fork == 0:
                for own in (waking, woken, number, descriptor, *(other.detach() for other in forks.values())):
                    os.close(own)
                listener.detach()
                messenger.detach()
                return prepared(streams, request)
            for stream in streams:
                os.close(stream)
            forks[fork] = messenger
            tell(messenger, fork)


def tell(messenger: _socket.socket, number: int) -> None:
    """Sends a number to a messenger, if it still lives."""
    try:
        messenger.send(str(number).encode())
    except OSError:
        return


def prepared(streams: list[int], request: bytes) -> Callable[[], int]:
    """Makes a fork what it would be as a program of its own; returns what it is to run."""
    _signal.set_wakeup_fd(-1)
    _signal.signal(_signal.SIGINT, _signal.default_int_handler)
    _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
        os.close(stream)
    words, folder, variables = marshal.loads(request)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(variables)
    first, *arguments = words
    sys.argv = ["playout", *arguments]
    exec(first, {})

    from playout.cli.main import main

    return main


if __name__ == "__main__":
    if sys.argv[1].isdigit():
        run = stock(int(sys.argv[1]))
        sys.exit(run())
    messenger(sys.argv[1], sys.argv[2:])
