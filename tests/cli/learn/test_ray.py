"""``playout learn --ray``: where no cluster can be used, one line says why before anything starts."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from playout.cli.main import main
from tests.needs import needs


def refusal(where: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a run that does not start."""
    assert main(["learn", "tic_tac_toe", "--out", str(folder / "run"), "--ray", where]) == 2
    assert not (folder / "run").exists()
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert said.out == ""
    return line


@pytest.fixture
def deaf() -> Iterator[str]:
    """The address of a server that speaks something else."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            stream, _ = server.accept()
            with stream:
                stream.recv(100)
                stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        yield f"127.0.0.1:{server.getsockname()[1]}"


def test_without_ray_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert refusal("auto", tmp_path, capsys) == "playout: --ray needs the package ray: pip install 'playout[ray]'"


@needs("ray")
@pytest.mark.long
def test_an_address_without_a_cluster_is_named(deaf: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(deaf, tmp_path, capsys) == f"playout: --ray {deaf}: the server there is no Ray cluster"
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
    assert refusal(address, tmp_path, capsys) == f"playout: --ray {address}: cannot be reached: Connection refused"
    for wrong in "ray://here:10001", "here", "here:port":
        assert f"--ray '{wrong}': expected auto, local or HOST:PORT" in refusal(wrong, tmp_path, capsys)
