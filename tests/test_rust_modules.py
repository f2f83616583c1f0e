"""No circle runs through the modules of a Rust crate.

The rule: take the modules that one file declares with ``mod``, each together with everything below it. Among them no
circle of references may exist, wherever the references stand in those files. What a module refers to in its own
ancestors is not counted, so a file and its private children may use each other. Modules under ``#[cfg(test)]`` are
left out, because a test may look anywhere. A re-exported name counts as a reference to the module that defines it.
"""

import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CRATES = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["members"]
MOD = re.compile(r"(#\[cfg\(test\)\]\s*)?(?:pub(?:\([^)]*\))? )?mod (\w+)\s*([;{])")
USE = re.compile(r"(pub(?:\([^)]*\))? )?use ([^;]+);")
PATH = re.compile(r"\b(?:crate|self|super)(?:::\w+)+")

Module = tuple[str, ...]


def code_of(text: str) -> str:
    """The text without comments and string literals."""
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', "", text, flags=re.DOTALL)


def without_inline_tests(code: str) -> str:
    """The code without its blocks ``#[cfg(test)] mod ... { }``."""
    while found := next((m for m in MOD.finditer(code) if m[1] and m[3] == "{"), None):
        end, depth = found.end(), 1
        while depth:
            depth += {"{": 1, "}": -1}.get(code[end], 0)
            end += 1
        code = code[: found.start()] + code[end:]
    return code


def paths_of(tree: str) -> Iterator[tuple[str, ...]]:
    """The paths that a use tree such as ``a::{b, c::d as e}`` names."""
    tree = " ".join(tree.split())
    head, brace, rest = tree.partition("{")
    if not brace:
        yield tuple(part.split(" as ")[0] for part in tree.split("::"))
        return
    prefix = tuple(part for part in head.split("::") if part)
    item, depth = "", 0
    for letter in rest[: rest.rindex("}")] + ",":
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == "," and not depth:
            yield from (prefix + path for path in paths_of(item.strip()) if item.strip())
            item = ""
        else:
            item += letter


class Crate:
    """The modules of a crate and what they refer to. A module is the path to it, ``()`` the crate itself."""

    def __init__(self, lib: Path) -> None:
        self.code: dict[Module, str] = {}
        self.exports: dict[Module, dict[str, tuple[str, ...]]] = {}
        self.read((), lib, lib.parent)

    def read(self, module: Module, file: Path, folder: Path) -> None:
        code = without_inline_tests(code_of(file.read_text(encoding="utf-8")))
        self.code[module] = code
        uses = [path for public, tree in USE.findall(code) if public for path in paths_of(tree)]
        self.exports[module] = {path[-1]: path for path in uses}
        for found in MOD.finditer(code):
            if found[1] or found[3] == "{":
                continue
            child = folder / f"{found[2]}.rs"
            child = child if child.exists() else folder / found[2] / "mod.rs"
            self.read((*module, found[2]), child, folder / found[2])

    def home(self, module: Module, path: tuple[str, ...]) -> Module | None:
        """The module in which what ``path`` names, seen from ``module``, is defined; None outside the crate."""
        if path[0] == "crate":
            at, path = (), path[1:]
        elif path[0] in {"self", "super"}:
            at = module
            while path and path[0] in {"self", "super"}:
                at = at if path[0] == "self" else at[:-1]
                path = path[1:]
        elif (*module, path[0]) in self.code:
            at = module
        else:
            return None
        while path:
            if (*at, path[0]) in self.code:
                at = (*at, path[0])
            elif path[0] in self.exports[at]:
                return self.home(at, self.exports[at][path[0]] + path[1:])
            else:
                break
            path = path[1:]
        return at

    def references(self) -> Iterator[tuple[Module, Module]]:
        """Pairs of a module and another one that it refers to."""
        for module, code in self.code.items():
            named = [path for _, tree in USE.findall(code) for path in paths_of(tree)]
            named += [tuple(found.split("::")) for found in PATH.findall(USE.sub("", code))]
            for path in named:
                home = self.home(module, path)
                if home is not None and home != module:
                    yield module, home

    def circles(self) -> list[str]:
        """One circle of each set of sibling modules that has one, as a line of text."""
        graphs: dict[Module, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for one, other in self.references():
            common = 0
            while one[: common + 1] == other[: common + 1]:
                common += 1
            if common < min(len(one), len(other)):
                graphs[one[:common]][one[common]].add(other[common])
        found = []
        for parent, graph in graphs.items():
            try:
                TopologicalSorter(graph).prepare()
            except CycleError as error:
                found.append("::".join(("crate", *parent)) + ": " + " <- ".join(error.args[1]))
        return found


@pytest.mark.parametrize("crate", CRATES)
def test_no_circle_runs_through_the_modules_of_a_crate(crate: str) -> None:
    modules = Crate(ROOT / crate / "lib.rs")
    assert len(modules.code) > 3
    assert modules.circles() == []


@pytest.mark.parametrize("crate", [crate for crate in CRATES if (ROOT / crate / "tests").is_dir()])
def test_every_file_of_tests_belongs_to_a_program(crate: str) -> None:
    """Cargo builds the programs of tests that Cargo.toml names, and no other file."""
    folder = ROOT / crate / "tests"
    manifest = tomllib.loads((ROOT / crate / "Cargo.toml").read_text(encoding="utf-8"))
    programs = [ROOT / crate / program["path"] for program in manifest["test"]]
    modules = [folder / f"{found[2]}.rs" for one in programs for found in MOD.finditer(one.read_text(encoding="utf-8"))]
    assert set(folder.glob("*.rs")) <= {*programs, *modules}


def crate_of(folder: Path, **files: str) -> Crate:
    for name, text in files.items():
        path = folder / f"{name.replace('__', '/')}.rs"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Crate(folder / "lib.rs")


def test_a_circle_is_found_through_children_re_exports_and_bare_paths(tmp_path: Path) -> None:
    crate = crate_of(
        tmp_path,
        lib="mod a;\nmod b;\npub mod c;\npub use c::{Thing, Other as Same};\n",
        a="mod inner;\nfn f() { inner::g() }\n",
        a__inner="use super::f;\nuse crate::{b::{self, B}};\n",
        b="fn g() -> crate::Thing { /* no crate::a here */ todo!() } // nor crate::a\n",
        c='fn h() { crate::a::f("crate::b") }\n#[cfg(test)]\nmod tests { use crate::b; }\n',
    )
    assert set(crate.references()) == {
        ((), ("c",)),
        (("a", "inner"), ("a",)),
        (("a", "inner"), ("b",)),
        (("b",), ("c",)),
        (("c",), ("a",)),
    }
    assert len(crate.circles()) == 1


def test_a_parent_with_its_children_is_no_circle(tmp_path: Path) -> None:
    crate = crate_of(
        tmp_path,
        lib="mod a;\nmod b;\n#[cfg(test)]\nmod tests;\n",
        a="mod inner;\nuse inner::I;\nuse crate::b::B;\n",
        a__inner="use super::A;\n",
        b="use std::fmt;\n",
        tests="use crate::a;\n",
    )
    assert crate.circles() == []
