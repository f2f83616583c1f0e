"""A misspelt word of a protocol gets a suggestion, where the protocol leaves room for one."""

from __future__ import annotations

import pytest

from playout.engine.session import Session
from playout.games import catalogue
from playout.protocols.registry import PROTOCOLS


@pytest.mark.parametrize(
    ("protocol", "game", "line", "reply"),
    [
        ("uci", "chess", "isredy", "info string unknown command: isredy: did you mean 'isready'?"),
        ("uci", "chess", "setoption name Hsah value 3", "info string no option 'Hsah': did you mean 'Hash'?"),
        ("ugi", "hex:5", "quary result", "info string unknown command: quary result: did you mean 'query'?"),
        ("uci", "chess", "xyzzy", "info string unknown command: xyzzy"),
        ("ubgi", "backgammon", "setsocre", "error unknown_command setsocre: did you mean 'setscore'?"),
        ("ubgi", "backgammon", "get engine.hsh", "error unsupported key engine.hsh: did you mean 'engine.hash'?"),
        ("xboard", "chess", "option MultiPW=3", "Error (no such option: did you mean 'MultiPV'?): option MultiPW=3"),
        ("gtp", "go:5", "playout-set_option Hsah 3", "? no option 'Hsah 3': did you mean 'Hash'?"),
        ("gtp", "go:5", "kata-get-param Hsah", "? no parameter 'Hsah': did you mean 'Hash'?"),
        ("gtp", "go:5", "playout-param Hsah 3", "? no option 'Hsah': did you mean 'Hash'?"),
        ("gtp", "go:5", "kata-set-rule suicde true", "? unknown rule 'suicde': did you mean 'suicide'?"),
        (
            "gtp",
            "go:5",
            "kata-analyze intervall 50",
            "? syntax error: 'intervall' is no option of kata-analyze: did you mean 'interval'?",
        ),
        ("gtp", "go:5", "genmvoe b", "? unknown command"),
        ("xboard", "chess", "usermov e2e4", "Error (unknown command): usermov e2e4"),
        (
            "analysis",
            "go:5",
            '{"id":"a","action":"query_versoin"}',
            '{"error":"must be one of query_version, query_models, clear_cache, terminate, terminate_all: did you mean '
            '\'query_version\'?","field":"action","id":"a"}',
        ),
    ],
)
def test_a_misspelt_word_gets_a_suggestion(protocol: str, game: str, line: str, reply: str) -> None:
    """GTP and XBoard's protocol fix the words for an unknown command."""
    session = Session(catalogue.load(game), post=lambda _: None)
    speaker = PROTOCOLS[protocol].open(session)
    assert [one for one in speaker.handle_line(line, 0.0) if one] == [reply]


@pytest.mark.parametrize(
    ("words", "said"), [("infinit depth 1", "infinit: did you mean 'infinite'?"), ("wtime x depth 1", "wtime x")]
)
def test_words_of_go(words: str, said: str) -> None:
    session = Session(catalogue.load("tic_tac_toe"), post=lambda _: None)
    speaker = PROTOCOLS["uci"].open(session)
    try:
        assert list(speaker.handle_line(f"go {words}", 0.0)) == [f"info string go: ignored {said}"]
    finally:
        session.close()
