"""Fixtures for all tests of the arena."""

from ..cli.conftest import one_application

__all__ = ["one_application"]
