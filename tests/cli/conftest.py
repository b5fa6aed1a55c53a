"""Runs the command `tamis` (the program that the environment variable TAMIS names) in a folder of its own."""

import os
import subprocess
import types

import numpy as np
import pytest

TAMIS = os.environ.get("TAMIS", "tamis")


class Shell:
    """The command, run in a folder; arrays are files there."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return self.folder / name

    def save(self, **arrays):
        for name, array in arrays.items():
            np.save(self.path(f"{name}.npy"), array)

    def load(self, name):
        return np.load(self.path(name), allow_pickle=False)

    def run(self, *args, stdin=None, env=None, code=0, preexec_fn=None):
        """Runs `tamis args...`, checks the exit code, and returns what it printed."""
        result = subprocess.run([TAMIS, *map(str, args)], cwd=self.folder, input=stdin, capture_output=True,
                                env={**os.environ, **(env or {})}, preexec_fn=preexec_fn, timeout=300)
        out = types.SimpleNamespace(code=result.returncode, stdout=result.stdout, stderr=result.stderr.decode())
        assert out.code == code, f"exit code {out.code}: {out.stderr}"
        return out

    def refuses(self, *args, code, **kwargs):
        """Runs a call that must fail with that code and one message; returns the message."""
        out = self.run(*args, code=code, **kwargs)
        assert out.stderr.startswith("tamis: ") and out.stdout == b"", out
        return out.stderr[len("tamis: "):]

    def leftovers(self):
        """Files that are neither what the test made nor what it asked for."""
        return sorted(p.name for p in self.folder.iterdir() if ".tmp" in p.name or p.name.startswith("."))


@pytest.fixture
def sh(tmp_path):
    return Shell(tmp_path)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


def same(a, b):
    """Equal bit for bit, NaN included, with the same shape and dtype."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
