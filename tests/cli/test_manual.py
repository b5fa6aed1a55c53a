"""docs/command-line.md is what the command prints, and its examples do what it says."""

import os
import pathlib
import re
import subprocess

import pytest

from conftest import TAMIS

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "command-line.md"
MAKE_DATA = os.environ.get("TAMIS_MAKE_DATA", "make_data")


def examples():
    """Command lines of the page and what they print."""
    for block in re.findall(r"^```console\n(.*?)^```", PAGE.read_text(), re.MULTILINE | re.DOTALL):
        line, _, output = block.partition("\n")
        yield line.removeprefix("$ "), output


def test_the_page_is_current():
    printed = subprocess.run([TAMIS, "docs", "--markdown"], capture_output=True, check=True).stdout.decode()
    assert PAGE.read_text() == printed, "docs/command-line.md is out of date; write `tamis docs` into it"


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    subprocess.run([MAKE_DATA, folder], check=True)
    return folder


@pytest.mark.parametrize("line, output", examples(), ids=[line for line, _ in examples()])
def test_examples_print_what_the_page_says(data, line, output):
    path = f"{pathlib.Path(TAMIS).parent}:{os.environ['PATH']}"
    out = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=data, env={**os.environ, "PATH": path},
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
    assert out.returncode == 0 and out.stdout.decode() == output


def test_every_command_has_examples():
    commands = set(re.findall(r"^### tamis (\w+)", PAGE.read_text(), re.MULTILINE))
    assert {"select", "fill", "count", "stats", "mask", "partition", "show", "info"} <= commands
    for command in commands:
        assert any(f"tamis {command}" in line for line, _ in examples()), command


def test_the_man_page_is_well_formed():
    page = subprocess.run([TAMIS, "docs", "--man"], capture_output=True, check=True).stdout.decode()
    assert page.startswith(".TH TAMIS 1") and ".SS tamis select" in page
    for line in page.splitlines():
        assert not line.startswith(".") or re.match(r"\.(TH|SH|SS|TP|PP|nf|fi)\b", line), line
