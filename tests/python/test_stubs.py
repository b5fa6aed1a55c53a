"""What is made from the rows, type stubs and reference page, is up to date; stubs are complete and accepted by mypy."""

import ast
import os
import pathlib
import subprocess
import sys
import types

import pytest

import tamis
from tamis import _tamis

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUB = ROOT / "python" / "tamis" / "_tamis.pyi"


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


@pytest.mark.parametrize("script", ["make_stubs.py", "make_reference.py"])
def test_what_is_made_from_the_rows_is_up_to_date(script):
    package = pathlib.Path(tamis.__file__).resolve().parents[1]
    result = run(sys.executable, str(ROOT / "python" / script), "--check", env={**os.environ, "PYTHONPATH": str(package)})
    assert result.returncode == 0, result.stdout + result.stderr


def names(body):
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
        elif isinstance(node, ast.AnnAssign):
            yield node.target.id
        elif isinstance(node, ast.Assign):
            yield from (t.id for t in node.targets)


def test_stubs_name_everything():
    tree = ast.parse(STUB.read_text())
    top = set(names(tree.body))
    public = {n for n, v in vars(_tamis).items() if not n.startswith("__") and not isinstance(v, types.ModuleType)}
    assert public - top == set()
    tensor = next(n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Tensor")
    methods = {n for n in dir(_tamis.Tensor) if n not in dir(object)}
    assert methods - set(names(tensor.body)) - {"__delitem__", "__module__"} == set()


PROGRAM = '''
from typing import Any, Tuple

import tamis
from tamis import Tensor, masks

x: Tensor = tamis.arange(6).reshape(2, 3)
y: Tensor = x[x > 3] + 1
z: Tensor = tamis.masked_select(x, x > 3)
n: int = tamis.count(x > 3)
shape: Tuple[int, ...] = x.shape
m: Tensor = masks.from_lengths([1, 2], max_len=3) & masks.causal(3)[0]
v, i = tamis.kthvalue(x.float(), 1, dim=-1)
rows: Tuple[Tensor, ...] = tamis.nonzero(x, as_tuple=True)
a: Any = tamis.masked_select(x.numpy(), (x > 3).numpy())
x.masked_fill_(x > 3, 0).add_(1)
k: Tensor = tamis.kthvalue(x.float(), 1).values
s: Tensor = tamis.sqrt(x.float(), out=tamis.empty(0))
p: Tensor = x[..., None, 0:2, [0, 1]]
t: Tensor = tamis.masked.sum(x.float(), 1, mask=x > 3)
w: Tensor = tamis.where(x > 3, x, 0)
q: tamis.masked.MaskedTensor = -(2 * tamis.masked.MaskedTensor(x, x > 3) > 8).sum(0)
r: Tensor = q.filled(0)
x[0] = 1.5
'''

WRONG = '''
import tamis

x: str = tamis.arange(6)
tamis.arange(6).sum(dim="a")
tamis.zeros(2).unsqueeze()
'''


def test_mypy_accepts_package_and_programs(tmp_path):
    mypy = run(sys.executable, "-m", "mypy", "--version")
    if mypy.returncode != 0:
        pytest.skip("mypy is not installed: types are not checked")
    options = ["-m", "mypy", "--strict", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    package = run(sys.executable, *options, str(ROOT / "python" / "tamis"))
    assert package.returncode == 0, package.stdout
    environment = {"MYPYPATH": str(ROOT / "python")}
    (tmp_path / "right.py").write_text(PROGRAM)
    right = run(sys.executable, *options, str(tmp_path / "right.py"), env=environment)
    assert right.returncode == 0, right.stdout
    (tmp_path / "wrong.py").write_text(WRONG)
    wrong = run(sys.executable, *options, str(tmp_path / "wrong.py"), env=environment)
    assert wrong.stdout.count("error:") == 3, wrong.stdout
