"""What can go wrong."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from backwater._backwater import Diagnostic


class ScenarioError(ValueError):
    """The scenario can't run: its text has mistakes, or it can't be read.

    The message is what the command prints: for each mistake its place, what was found there, what
    is allowed and how to go on.
    """

    #: Every mistake and warning by itself, in the order of the file.
    diagnostics: list["Diagnostic"]

    def __init__(self, message: str, diagnostics: Sequence["Diagnostic"] = ()) -> None:
        super().__init__(message)
        self.diagnostics = list(diagnostics)


class RunError(RuntimeError):
    """A run can't start or can't go on, such as for want of memory, or results can't be written."""
