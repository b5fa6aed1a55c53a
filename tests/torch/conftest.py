"""Counts the cases per row, and fails a whole run in which a row had none or a listed difference is gone."""

import os
import re
import types
from pathlib import Path

import pytest

# torch 1.13's oneDNN uses AMX where the CPU says that it has it, also on virtual machines that do not let it.
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")

# Few elements are computed at once otherwise, which the eager mode does, too.
os.environ.setdefault("TAMIS_DEFER", "all")

try:
    import torch
except ImportError:
    torch = None
else:
    import tamis

    import tables
    from compare import Checker, session

HERE = Path(__file__).parent


def rows():
    """The names of all rows: functions, mask builders, and methods that are no functions. Functions of modules
    have the module before them, as in masked.sum, but for the mask builders."""
    names = set()
    modules = {name: value for name, value in vars(tamis).items() if isinstance(value, types.ModuleType)}
    modules = {f"{name}.": value for name, value in modules.items() if not name.startswith("_") and name != "torch"}
    for prefix, module in {"": tamis, **modules}.items():
        for name, value in vars(module).items():
            if getattr(value, "__row__", None) and value.__name__ == name:
                names.add(name if prefix == "masks." else prefix + name)
    for name in dir(tamis.Tensor):
        value = getattr(tamis.Tensor, name)
        if getattr(value, "__row__", None) and value.__name__ == name:
            names.add(name)
    return names


def without_mode(item):
    return re.sub(r"\[(deferred|eager)\b", "[", item.nodeid)


@pytest.fixture(autouse=True, params=["deferred", "eager"])
def evaluation(request):
    """Every test runs in both modes, one after the other."""
    session.begin(without_mode(request.node))
    before = tamis.eager_mode()
    tamis.set_eager_mode(request.param == "eager")
    yield request.param
    tamis.set_eager_mode(before)


@pytest.fixture
def check():
    checker = Checker()
    yield checker
    if checker.failures:
        shown = "\n".join(checker.failures[:8])
        pytest.fail(f"{len(checker.failures)} cases differ from torch\n{shown}", pytrace=False)


def missing_rows():
    return sorted(rows() - set(session.cases))


def stale_entries():
    return [e.name for e in tables.ALL if not session.differences[e.name]]


def unwritten():
    """Allowed differences that docs/differences.md does not speak of."""
    text = tables.DIFFERENCES.read_text()
    return [e.name for e in tables.ALLOWED if e.why not in text]


def is_whole(config):
    """Whether all files of this folder ran, without a selection of tests."""
    chosen = config.getoption("keyword") or config.getoption("markexpr") or config.getoption("lf", False)
    return not chosen and config.stash.get(COLLECTED, set()) >= {p.name for p in HERE.glob("test_*.py")}


COLLECTED = pytest.StashKey[set]()


def pytest_configure(config):
    if torch is None:
        text = "skipped: PyTorch, with which Tamis is compared here, is not installed (Debian: python3-torch)"
        pytest.exit(text, returncode=77)
    config.addinivalue_line("filterwarnings", "ignore")  # torch warns of deprecations; Tamis never prints


def pytest_collection_modifyitems(config, items):
    whole = {item.fspath.basename for item in items if "::" not in str(config.args)}
    config.stash[COLLECTED] = whole
    first = {}
    for i, item in enumerate(items):
        first.setdefault(without_mode(item), i)
    items.sort(key=lambda item: first[without_mode(item)])  # the two runs of a test, one after the other


def pytest_sessionfinish(session, exitstatus):
    config = session.config
    if is_whole(config) and exitstatus == 0 and (missing_rows() or stale_entries() or unwritten()):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, config):
    write = terminalreporter.write_line
    terminalreporter.section("cases per row")
    names = sorted(session.cases)
    for i in range(0, len(names), 5):
        write("  ".join(f"{n:>15} {session.cases[n]:<5}" for n in names[i:i + 5]))
    write(f"{sum(session.outs.values())} of them again with out=, for {len(session.outs)} rows")
    write(f"{sum(session.cases.values())} cases, deferred and eager; torch has none for "
          f"{sum(session.none_in_torch.values())} (halves), which are compared with float32")
    for title, table in (("allowed", tables.ALLOWED), ("newer torch", tables.NEWER), ("known bug", tables.KNOWN_BUGS)):
        for entry in table:
            write(f"{title}: {entry.name}, {session.differences[entry.name]} cases")
    if is_whole(config):
        for name in missing_rows():
            write(f"FAILED: no case for {name}", red=True)
        for name in stale_entries():
            write(f"FAILED: {name} does not occur any more", red=True)
        for name in unwritten():
            write(f"FAILED: docs/differences.md says nothing of {name}", red=True)
