"""Runs the Python snippets of docs/python.md and docs/cluster.md and compares what they print and raise with what they say.

All snippets of a document share their variables, as the cells of a notebook do. Behind a statement may stand
`# prints: ...`, one for each line of output, or `# raises: Type: text`. A snippet that begins with
`# needs: module` is left out if that module is not installed.
"""

import ast
import contextlib
import importlib.util
import io
import pathlib
import re

import pytest

DOCUMENTS = pathlib.Path(__file__).resolve().parents[2] / "docs"


def snippets(document):
    text = (DOCUMENTS / document).read_text()
    for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield text[: match.start()].count("\n") + 2, match.group(1)


def expectations(lines):
    prints, raises = [], None
    for line in lines:
        mark = re.match(r"\s*# (prints|raises):(?: (.*))?$", line)
        if mark and mark.group(1) == "prints":
            prints.append(mark.group(2) or "")
        elif mark:
            raises = mark.group(2)
    return prints, raises


def run_statement(code, namespace):
    out = io.StringIO()
    raised = None
    with contextlib.redirect_stdout(out):
        try:
            exec(code, namespace)
        except Exception as e:  # noqa: B902
            raised = f"{type(e).__name__}: {e}"
    return out.getvalue().rstrip("\n").split("\n") if out.getvalue() else [], raised


def run_snippet(first_line, text, namespace):
    lines = text.split("\n")
    statements = ast.parse(text).body
    ends = [s.lineno - 1 for s in statements[1:]] + [len(lines)]
    for statement, end in zip(statements, ends):
        prints, raises = expectations(lines[statement.end_lineno : end])
        module = ast.Module([statement], [])
        code = compile(module, f"snippet:{first_line + statement.lineno - 1}", "exec")
        printed, raised = run_statement(code, namespace)
        where = f"line {first_line + statement.lineno - 1}"
        assert raised == raises, where
        assert printed == prints, where


def missing(text):
    needed = re.match(r"# needs: (\w+)", text)
    return needed and importlib.util.find_spec(needed.group(1)) is None


def test_the_tutorial_says_the_truth(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run_document("python.md") >= 15


def test_the_page_on_clusters_says_the_truth(tmp_path, monkeypatch):
    pytest.importorskip("dask", reason="Dask is not installed")
    pytest.importorskip("zarr", reason="Zarr is not installed")
    monkeypatch.chdir(tmp_path)
    assert run_document("cluster.md") >= 6


def run_document(document):
    namespace = {"__name__": "tutorial"}
    count = 0
    for first_line, text in snippets(document):
        if missing(text):
            continue
        run_snippet(first_line, text, namespace)
        count += 1
    return count


def test_a_wrong_snippet_is_noticed():
    for wrong in ("print(1)\n# prints: 2\n", "print(1)\n", "1 / 0\n", "pass\n# raises: ValueError: x\n"):
        with pytest.raises(AssertionError):
            run_snippet(1, wrong, {})
