"""What happens upstream when a buffer fills: a laboratory for network flow control.

    import backwater as bw

    result = bw.example("fig17-two-switches").set("run.duration", "50 ms").run(seed=1)
    print(result)
    result.flows["throughput_mbps"]   # a column: numbers with a unit and a meaning
    result.report("report.html")      # the page that the command writes

The command `backwater` comes with the package and runs the same code: a scenario has the same trace
hash from both.
"""

from backwater._backwater import Ack, Column, Diagnostic, Flow, Hop, Table, __version__
from backwater._errors import RunError, ScenarioError
from backwater._folder import Folder
from backwater._many import Reproduction, compare, reproduce, saturate
from backwater._opened import SavedRun, open
from backwater._outside import MS, NS, US, Control, S, Source
from backwater._result import Result
from backwater._scenario import Scenario, example, examples, explain, scenario
from backwater._sweep import Sweep, SweepResult

__all__ = [
    "MS",
    "NS",
    "US",
    "Ack",
    "Column",
    "Control",
    "Diagnostic",
    "Flow",
    "Folder",
    "Hop",
    "Reproduction",
    "Result",
    "RunError",
    "S",
    "SavedRun",
    "Scenario",
    "ScenarioError",
    "Source",
    "Sweep",
    "SweepResult",
    "Table",
    "__version__",
    "compare",
    "example",
    "examples",
    "explain",
    "open",
    "reproduce",
    "saturate",
    "scenario",
]


def __dir__() -> list[str]:
    return sorted(__all__)
