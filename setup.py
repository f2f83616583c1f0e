"""Stops a build without a Rust toolchain with one clear line. Everything else is in pyproject.toml."""

import os
import shutil
import sys


def main() -> None:
    building = {"dist_info", "bdist_wheel", "editable_wheel"} & set(sys.argv)
    if building and not shutil.which(os.getenv("CARGO", "cargo")):
        sys.exit(
            "playout is built with Rust, and no Rust toolchain was found: `cargo` is not on PATH. "
            "Install Rust 1.95 or newer (https://rustup.rs), open a new terminal and try again."
        )
    from setuptools import setup

    setup()


if __name__ == "__main__":
    main()
