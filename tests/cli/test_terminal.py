"""Usage, help, suggestions, colours and the progress bar."""

import os
import pty
import re
import select
import subprocess
import time

import numpy as np
import pytest

from conftest import TAMIS

COMMANDS = ["select", "fill", "count", "stats", "mask", "partition", "show", "head", "convert", "info", "help"]


def on_terminal(args, folder, env=None, both=True):
    """Runs the command on a terminal of 100 columns; returns what it showed there and the exit code."""
    main, other = pty.openpty()
    subprocess.run(["stty", "cols", "100"], stdin=other, check=True)
    process = subprocess.Popen([TAMIS, *args], cwd=folder, stdin=other, stdout=other if both else subprocess.DEVNULL,
                               stderr=other, env={**os.environ, **(env or {})}, close_fds=True)
    os.close(other)
    shown, deadline = b"", time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([main], [], [], 0.1)[0]:
            try:
                shown += os.read(main, 65536)
            except OSError:  # the other side is closed
                break
        elif process.poll() is not None:
            break
    os.close(main)
    return shown.decode(), process.wait(timeout=10)


def test_wrong_usage_has_a_code_and_a_suggestion(sh):
    sh.save(x=np.arange(5))
    assert sh.refuses(code=1).startswith("no command given")
    assert sh.refuses("cuont", "x.npy", code=1).startswith("unknown command 'cuont'; did you mean count?")
    text = sh.refuses("count", "x.npy", "--wheer", "x > 1", code=1)
    assert text.startswith("unknown option --wheer; did you mean --where?") and "tamis count --help" in text
    assert "required" in sh.refuses("select", "x.npy", code=1)
    sh.refuses(code=1)
    sh.refuses("count", "x.npy", "-w", "x > 1", "--threads", "0", code=1)
    sh.refuses("count", "x.npy", "-w", "x > 1", "--threads", "many", code=1)
    assert "dimension 3 is out of range" in sh.refuses("count", "x.npy", "-w", "x > 1", "--dim", "3", code=1)
    sh.refuses("count", "x.npy", "-w", "x > 1", "--dim", "0,-1", code=1)
    assert "--output needs --dim" in sh.refuses("count", "x.npy", "-w", "x > 1", "-o", "c.npy", code=1)
    assert "from 0 to 1" in sh.refuses("stats", "x.npy", "--quantiles", "2", code=1)
    assert "two different files" in sh.refuses("partition", "x.npy", "-w", "x > 1", "-o", "a", "--rejected", "a", code=1)
    assert "either --where or --lengths" in sh.refuses("mask", "-o", "m.npy", code=1)
    sh.refuses("mask", "--where", "causal(3)", "--max-len", "3", "-o", "m.npy", code=1)


def test_an_empty_condition_is_not_everything(sh):
    """That is what "$WHERE" is in a shell where the variable is not set."""
    sh.save(x=np.arange(5))
    for command in (["count"], ["stats"], ["show"], ["select", "-o", "o.npy"], ["mask", "-o", "o.npy"]):
        assert "--where: must not be empty" in sh.refuses(command[0], "x.npy", "--where", "", *command[1:], code=1)
    assert "--value: must not be empty" in sh.refuses("fill", "x.npy", "-w", "x > 1", "--value", "", "-o", "o.npy", code=1)
    assert not sh.path("o.npy").exists()


def test_a_missing_file_argument_is_named(sh):
    assert sh.refuses("count", "-w", "x > 1", code=1).startswith("no input file; name one, or use - for standard input\n")
    assert sh.refuses("info", code=1).startswith("no input file; name one, or use - ")


def test_the_program_loads_no_openblas():
    """Its threads spin beside ours as the program begins, and nothing here multiplies matrices."""
    libraries = subprocess.run(["ldd", TAMIS], capture_output=True, text=True, check=True).stdout
    assert "libc.so" in libraries and "blas" not in libraries


def test_partition_does_not_write_two_outputs_to_one_file(sh):
    sh.save(x=np.arange(5))
    sh.path("a.npy").write_bytes(b"old")
    sh.path("link.npy").symlink_to("a.npy")
    for other in ("./a.npy", "../" + sh.folder.name + "/a.npy", "link.npy", str(sh.path("a.npy"))):
        text = sh.refuses("partition", "x.npy", "-w", "x > 1", "-o", "a.npy", "--rejected", other, code=1)
        assert "two different files" in text
    assert sh.path("a.npy").read_bytes() == b"old"


def test_names_of_files_are_checked(sh):
    sh.save(x=np.arange(5))
    np.savez(sh.path("z.npz"), a=np.arange(3))
    assert "no file is named 'b'" in sh.refuses("count", "z.npz", "--name", "b=a", "-w", "x > 1", code=1)
    assert "but there is none here" in sh.refuses("count", "x.npy", "--name", "a", "-w", "x > 1", code=1)
    assert sh.run("count", "z.npz", "y=x.npy", "--name", "a", "-w", "x > min(y)").stdout == b"2\n"
    assert "read only once" in sh.refuses("count", "-", "y=-", "-w", "x > y", code=1)
    assert "two files are named 'a'" in sh.refuses("count", "a=x.npy", "a=x.npy", "-w", "a > 1", code=1)
    assert "is reserved in conditions" in sh.refuses("count", "i=x.npy", "-w", "i > 1", code=1)
    assert "need names" in sh.refuses("count", *["x.npy"] * 4, "-w", "x > 1", code=1)


def test_conditions_are_refused_with_a_caret(sh):
    sh.save(x=np.arange(5.0))
    assert sh.run("count", "x.npy", "-w", "x > 3 & ~isnam(x)", code=1).stderr == (
        "tamis: unknown function 'isnam'; did you mean isnan?\n"
        "  x > 3 & ~isnam(x)\n"
        "           ^~~~~\n")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_examples(sh, command):
    for flag in ("--help", "-h"):
        text = sh.run(command, flag).stdout.decode()
        assert f"tamis {command} " in text.split("Examples:")[1] and "--quiet" in text
    assert command in sh.run("--help").stdout.decode()


def test_version(sh):
    assert re.fullmatch(r"tamis \d+\.\d+\.\d+\n", sh.run("--version").stdout.decode())


def test_completions_know_commands_and_options(sh):
    for shell in ("bash", "zsh", "fish"):
        text = sh.run("completions", shell).stdout.decode()
        assert all(command in text for command in COMMANDS) and "max-len" in text
    sh.refuses("completions", "csh", code=1)


def test_bash_completes(sh):
    script = sh.run("completions", "bash").stdout.decode()
    sh.path("complete.sh").write_text(script)
    sh.save(data=np.arange(3))

    def complete(*words):
        line = " ".join(f"'{w}'" for w in words)
        text = (f"source complete.sh; compopt() {{ :; }}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _tamis; "
                'printf "%s\\n" "${COMPREPLY[@]}"')
        out = subprocess.run(["bash", "-c", text], cwd=sh.folder, capture_output=True, check=True)
        return out.stdout.decode().split()

    assert complete("tamis", "se") == ["select"]
    assert complete("tamis", "mask", "--ma") == ["--max-len"]
    assert complete("tamis", "count", "da") == ["data.npy"]
    assert complete("tamis", "count", "y=da") == ["data.npy"]


def test_binary_results_are_not_for_terminals(sh):
    sh.save(x=np.arange(5))
    shown, code = on_terminal(["select", "x.npy", "-w", "x > 1"], sh.folder)
    assert code == 1 and "refusing to write binary data to a terminal" in shown and "NUMPY" not in shown


SLOW = ["count", "x.npy", "-w", "sin(x) + cos(x) + tan(x) + exp(x) > 90", "--threads", "1"]


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    """A file that takes about four seconds on this machine: zeros, of which the disk keeps nothing."""
    folder = tmp_path_factory.mktemp("slow")

    def make(size):
        np.lib.format.open_memmap(folder / "x.npy", mode="w+", dtype="u1", shape=(size,)).flush()

    def seconds():
        began = time.monotonic()
        subprocess.run([TAMIS, *SLOW], cwd=folder, check=True, capture_output=True)
        return time.monotonic() - began

    probe = 5_000_000
    make(probe)
    make(int(probe * 4 / min(seconds() for _ in range(3))))  # the others were slowed down by something else
    return folder


def test_a_bar_shows_progress_on_a_terminal(slow):
    shown, code = on_terminal(SLOW, slow)
    assert code == 0
    bars = re.findall(r"\rcount \[(#*)(-*)\] +(\d+) %  [\d.]+ GB/s  [\d:]+ (?:s|min) left", shown)
    assert len(bars) >= 2, shown
    shares = [int(share) for _, _, share in bars]
    assert shares == sorted(shares) and all(len(full) + len(rest) == 40 for full, rest, _ in bars)
    # It is gone when the result is printed.
    assert shown.replace("\r\n", "\n").split("\x1b[K")[-1].strip() == "0"


def test_no_bar_in_a_pipe_nor_with_quiet_nor_in_the_first_second(slow, sh):
    out = subprocess.run([TAMIS, *SLOW], cwd=slow, capture_output=True, timeout=120)
    assert out.stdout == b"0\n" and out.stderr == b""
    shown, _ = on_terminal([*SLOW, "--quiet"], slow)
    assert shown == "0\r\n"
    sh.save(x=np.arange(5))
    shown, _ = on_terminal(["count", "x.npy", "-w", "x > 1"], sh.folder)
    assert shown == "3\r\n"


def test_colours_are_for_terminals_and_never_with_no_color(sh):
    sh.save(x=np.arange(5))
    shown, _ = on_terminal(["count", "x.npy", "-w", "isnam(x)"], sh.folder, env={"TERM": "xterm", "NO_COLOR": ""})
    assert "\x1b[1;31mtamis:\x1b[0m" in shown and "\x1b[1;32m^~~~~\x1b[0m" in shown
    shown, _ = on_terminal(["count", "x.npy", "-w", "isnam(x)"], sh.folder, env={"TERM": "dumb", "NO_COLOR": ""})
    assert "\x1b" not in shown
    for args in (["count", "x.npy", "-w", "isnam(x)"], ["--help"], ["info", "x.npy"]):
        shown, _ = on_terminal(args, sh.folder, env={"TERM": "xterm", "NO_COLOR": "1"})
        assert "\x1b" not in shown
        piped = subprocess.run([TAMIS, *args], cwd=sh.folder, capture_output=True)
        assert b"\x1b" not in piped.stdout + piped.stderr
