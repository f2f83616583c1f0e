"""Makes docs/xboard.png: XBoard, on a screen that nobody sees, while playout plays playout by XBoard's protocol.

    python docs/screenshot.py [FILE] [--plies N]

Needs XBoard and Xvfb: apt-get install xboard xvfb. The game is another one each time.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import os
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

WIDTH, HEIGHT = 930, 492
PATIENCE = 120.0
"""Seconds to wait for the game to get so far."""
BOARD = 426
"""Pixels across the board's window; the engines' thinking stands beside it."""
WINDOWS = [
    "-size", "49", "-useBoardTexture", "false", "-saveSettingsOnExit", "false",
    "-engineOutputUp", "true", "-evalGraphUp", "false",
    "-engineOutputW", str(WIDTH - BOARD - 8), "-engineOutputH", str(HEIGHT - 2),
]  # fmt: skip


def engine() -> str:
    """The command of the engine beside this Python; from a checkout that is not installed, what it would run."""
    installed = Path(sys.executable).with_name("playout")
    code = "import sys; from playout.cli.main import main; sys.exit(main())"
    words = [str(installed)] if installed.exists() else [sys.executable, "-c", code]
    return shlex.join([*words, "xboard"])


def program(name: str) -> str:
    """Its path, also where Debian keeps games.

    Raises:
        SystemExit: if it is not installed.
    """
    path = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/games")
    if path is None:
        sys.exit(f"screenshot: {name} is not installed: apt-get install xboard xvfb")
    return path


def pixels(frame: bytes) -> list[bytes]:
    """The rows of an X window dump with 32 bits a pixel, as red, green and blue bytes."""
    header = struct.unpack(">20I", frame[:80])
    size, width, height, little_endian = header[0], header[4], header[5], header[7] == 0
    bits, stride, colours = header[11], header[12], header[19]
    if bits != 32 or not little_endian:
        sys.exit(f"screenshot: cannot read a screen of {bits} bits a pixel")
    rows = []
    for row in range(height):
        begin = size + 12 * colours + row * stride
        line = frame[begin : begin + 4 * width]
        rows.append(b"".join(line[place + 2 : (place - 1 if place else None) : -1] for place in range(0, len(line), 4)))
    return rows


def png(rows: list[bytes]) -> bytes:
    """The rows as a picture, each as the difference from the one above."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    above = bytes(len(rows[0]))
    filtered = bytearray()
    for row in rows:
        filtered += b"\2" + bytes((one - other) & 255 for one, other in zip(row, above, strict=True))
        above = row
    head = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(filtered), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def move_thinking_aside(display: str) -> None:
    """Puts the window with the engines' thinking beside the board: without a window manager all lie in one corner."""
    x11 = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    connection = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    root, parent, count = ctypes.c_ulong(), ctypes.c_ulong(), ctypes.c_uint()
    windows = ctypes.POINTER(ctypes.c_ulong)()
    x11.XQueryTree(
        connection,
        ctypes.c_ulong(x11.XDefaultRootWindow(connection)),
        *map(ctypes.byref, (root, parent, windows, count)),
    )
    for window in windows[: count.value]:
        name = ctypes.c_char_p()
        x11.XFetchName(connection, ctypes.c_ulong(window), ctypes.byref(name))
        if (name.value or b"").startswith(b"Engine Output"):
            x11.XMoveWindow(connection, ctypes.c_ulong(window), BOARD, 0)
    x11.XCloseDisplay(connection)


def screenshot(plies: int) -> bytes:
    """The image on the screen after ``plies`` moves."""
    with tempfile.TemporaryDirectory() as folder:
        read, write = os.pipe()
        screen = subprocess.Popen(
            [program("Xvfb"), "-displayfd", str(write), "-fbdir", folder, "-screen", "0", f"{WIDTH}x{HEIGHT}x24"],
            pass_fds=[write],
            stderr=subprocess.DEVNULL,
        )
        os.close(write)
        with os.fdopen(read) as numbers:
            display = f":{numbers.readline().strip()}"
        log = Path(folder, "debug")
        match = ["-fcp", engine(), "-scp", engine(), "-mode", "TwoMachines", "-tc", "5", "-ponderNextMove", "false"]
        xboard = subprocess.Popen(
            [program("xboard"), *WINDOWS, *match, "-debug", "-nameOfDebugFile", str(log)],
            env={**os.environ, "DISPLAY": display, "HOME": folder},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            end = time.monotonic() + PATIENCE
            while not log.exists() or log.read_text(errors="replace").count(": move ") < plies:
                if time.monotonic() > end or xboard.poll() is not None:
                    sys.exit("screenshot: the game did not get so far")
                time.sleep(0.2)
            move_thinking_aside(display)
            time.sleep(3.0)
            return png(pixels(Path(folder, "Xvfb_screen0").read_bytes()))
        finally:
            xboard.terminate()
            xboard.wait()
            screen.terminate()
            screen.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description="A picture of XBoard with playout on both sides.")
    parser.add_argument("file", nargs="?", type=Path, default=Path(__file__).with_name("xboard.png"))
    parser.add_argument("--plies", type=int, default=24, help="moves before the picture is taken")
    words = parser.parse_args()
    words.file.write_bytes(screenshot(words.plies))


if __name__ == "__main__":
    main()
