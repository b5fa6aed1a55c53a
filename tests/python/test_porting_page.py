"""Runs every line of docs/porting.md, beside the library that it comes from, and compares what comes out.

A section begins with two snippets: what the left column stands on and, with the same names, what the right one does. In
a table whose header begins with "you write", all code of a row must come to the same; "gives" stands before a literal
that code must come to, or the exception that it raises. A third snippet, if there is one, has lines that are the same
on both sides. A line that writes is compared by the variable that it writes to.

A library that is not installed is skipped, with its name; with CI=true or TAMIS_REQUIRE_PEERS=1 it is a failure.
"""

import ast
import importlib
import importlib.util
import os
import pathlib
import re
import types
import warnings

import numpy as np
import pytest

import tamis

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "porting.md"
REQUIRED = os.environ.get("CI") == "true" or os.environ.get("TAMIS_REQUIRE_PEERS") == "1"
# Of NumPy's kinds: how a peer and Tamis count is of no importance.
KINDS = {"u": "i"}


# ---- the page ------------------------------------------------------------------------------------------------------


class Section:
    def __init__(self, title, text):
        self.title = title
        snippets = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        self.left, self.right, self.same = (snippets + [""] * 3)[:3]
        self.rows = list(rows_of(text))
        self.modules = set(re.findall(r"^(?:import|from) (\w+)", self.left + self.right, re.MULTILINE))


def cells_of(line):
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def rows_of(text):
    """The header of its table, and the cells, of each row."""
    header = None
    for line in text.split("\n"):
        if not line.startswith("|"):
            header = None
        elif header is None:
            header = cells_of(line)
        elif not line.startswith("|---"):
            yield header, cells_of(line)


def sections_of(text):
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return [Section(title, body) for title, body in zip(parts[1::2], parts[2::2])]


def lines_of(snippet):
    return [line for line in snippet.split("\n") if line and not line.startswith("#")]


def code_of(cell):
    return re.findall(r"`([^`]+)`", cell)


# ---- running a line ------------------------------------------------------------------------------------------------


def root_of(node):
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def written_by(statement, namespace):
    """The variable that a statement writes to: its target, the tensor of a method, or the first argument."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        return root_of(statement.targets[0] if isinstance(statement, ast.Assign) else statement.target)
    name = root_of(statement.value)
    if isinstance(namespace.get(name), types.ModuleType):
        name = root_of(statement.value.args[0])
    return name


def outcome(code, namespace):
    statements = ast.parse(code).body
    exec(compile(ast.Module(statements[:-1], []), "<page>", "exec"), namespace)
    last = statements[-1]
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "<page>", "eval"), namespace)
        if value is not None:
            return value
    else:
        exec(compile(ast.Module([last], []), "<page>", "exec"), namespace)
    return namespace[written_by(last, namespace)]


def space(section, ours):
    """What a column sees, new for each line, since lines write."""
    namespace = {}
    exec(section.left + (section.right if ours else ""), namespace)
    return namespace


# ---- comparing -----------------------------------------------------------------------------------------------------


def plain(value):
    """Values of any library as arrays, masked arrays, and lists and dicts of those."""
    name = f"{type(value).__module__}.{type(value).__name__}"
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (slice, str)):
        return value
    if isinstance(value, (tamis.masked.MaskedTensor, np.ma.MaskedArray)):
        return np.ma.array(value if isinstance(value, np.ma.MaskedArray) else value.numpy())
    if isinstance(value, tamis.Tensor):
        return value.numpy()
    if name.startswith("torch.masked"):
        return np.ma.array(value.get_data().detach().numpy(), mask=~value.get_mask().numpy())
    if name.startswith("torch."):
        return value.detach().numpy()
    if name.endswith("DataFrame"):
        return {column: plain(value[column]) for column in value.columns}
    if name.startswith("pandas."):
        return plain_pandas(value)
    if name.startswith("polars."):
        return masked_if(value.fill_null(strategy="zero").to_numpy(), value.is_null().to_numpy())
    return np.asarray(value)


def plain_pandas(value):
    dtype = getattr(value.dtype, "numpy_dtype", None)
    if dtype is None:
        return value.to_numpy()
    return masked_if(value.to_numpy(dtype=dtype, na_value=dtype.type(0)), np.asarray(value.isna()))


def masked_if(values, missing):
    return np.ma.array(values, mask=missing) if missing.any() else values


def check_same(got, expected):
    if isinstance(expected, dict):
        assert isinstance(got, dict) and list(got) == list(expected)
        return check_same(list(got.values()), list(expected.values()))
    if isinstance(expected, list):
        assert isinstance(got, list) and len(got) == len(expected)
        for g, e in zip(got, expected):
            check_same(g, e)
        return None
    if not isinstance(expected, np.ndarray):
        assert got == expected
        return None
    assert got.shape == expected.shape
    kinds = [KINDS.get(a.dtype.kind, a.dtype.kind) for a in (got, expected)]
    assert kinds[0] == kinds[1], f"{got.dtype} and {expected.dtype}"
    assert np.ma.getmaskarray(got).tolist() == np.ma.getmaskarray(expected).tolist()
    close = {"rtol": 1e-5, "atol": 1e-7} if kinds[0] in "fc" else {"rtol": 0, "atol": 0}
    np.testing.assert_allclose(np.ma.filled(got, 0), np.ma.filled(expected, 0), equal_nan=True, **close)
    return None


def check_gives(code, namespace, literal):
    if re.fullmatch(r"[A-Z]\w*Error", literal):
        with pytest.raises(Exception) as raised:
            outcome(code, namespace)
        assert literal in [c.__name__ for c in type(raised.value).__mro__], repr(raised.value)
        return
    value = outcome(code, namespace)
    value = value.tolist() if hasattr(value, "tolist") else value
    assert repr(value) == repr(ast.literal_eval(literal)), f"{code} gives {value!r}"


def check_row(section, header, cells):
    """Runs a row. Left of the column "in Tamis" is the peer."""
    ours = header.index("in Tamis")
    expected = []
    for column, (name, cell) in enumerate(zip(header, cells)):
        for code in code_of(cell) if name in ("you write", "in Tamis") else []:
            namespace = space(section, column >= ours)
            if column + 1 < len(header) and header[column + 1] == "gives":
                check_gives(code, namespace, code_of(cells[column + 1])[0])
                continue
            expected.append(plain(outcome(code, namespace)))
            check_same(expected[-1], expected[0])


# ---- the tests -----------------------------------------------------------------------------------------------------

SECTIONS = [s for s in sections_of(PAGE.read_text()) if s.rows or s.same]


def check_peers(section):
    for module in section.modules:
        if importlib.util.find_spec(module) is None:
            say = pytest.fail if REQUIRED else pytest.skip
            say(f"{module} is not installed: the lines of {section.title!r} are not run")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("section", SECTIONS, ids=lambda s: s.title)
def test_every_line_of_the_page_is_true(section):
    check_peers(section)
    wrong = []
    rows = section.rows + [(["you write", "in Tamis"], [f"`{line}`"] * 2) for line in lines_of(section.same)]
    for header, cells in rows:
        if not header[0].startswith("you write"):
            continue
        assert len(cells) == len(header), cells
        try:
            check_row(section, header, cells)
        except Exception as e:
            wrong.append(f"{' | '.join(cells)}\n    {type(e).__name__}: {e}")
    assert not wrong, "\n".join(wrong)


def test_no_row_is_overlooked():
    count = {s.title: sum(header[0].startswith("you write") for header, _ in s.rows) for s in SECTIONS}
    assert all(n >= 5 for n in count.values()), count
    assert sum(count.values()) >= 350, count
    assert sum(len(lines_of(s.same)) for s in SECTIONS) >= 90
    for section in SECTIONS:
        for header, cells in section.rows:
            if header[0].startswith("you write"):
                assert code_of(cells[0]) and code_of(cells[header.index("in Tamis")]), cells


WRONG = ["| `1` | `2` |", "| `a[0]` | `a[1]` |", "| `a[:1]` | `a[0]` |", "| `a + 0.0` | `a` |", "| `a[0] = 5` | `a` |",
         "| `a.fill(0)` | `a[:1] = 0` |", "| `[a, a]` | `[a]` |", "| `np.ma.array(a, mask=[True, False])` | `a` |",
         "| `a` | `b` |"]


@pytest.mark.parametrize("row", WRONG)
def test_a_wrong_row_is_noticed(row):
    section = Section("", f"```python\nimport numpy as np\na = np.array([1, 2])\n```\n\n```python\n```\n\n"
                          f"| you write | in Tamis |\n|---|---|\n{row}\n")
    (header, cells), = section.rows
    with pytest.raises((AssertionError, NameError)):
        check_row(section, header, cells)


def test_a_wrong_result_is_noticed():
    section = Section("", "| you write | gives | in Tamis | gives |\n|---|---|---|---|\n| `1` | `1` | `2` | `3` |\n")
    (header, cells), = section.rows
    with pytest.raises(AssertionError, match="2 gives 2"):
        check_row(section, header, cells)
    with pytest.raises(BaseException, match="DID NOT RAISE"):
        check_gives("1", {}, "ValueError")
