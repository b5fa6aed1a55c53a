"""Checks that includes point downward only, after checking that it would notice those that do not.

Layers from the bottom: include/tamis, core, backend, expr, autograd, ops, io, the front ends, and on top
tests, benchmarks and examples. A file may include its own layer and those below it. Inside src/ops, the
families pointwise and index share their headers with the families above them; other families do not see
each other, and the files of src/ops itself see no family.
"""

import pathlib
import posixpath
import re
import sys
import tempfile

LAYERS = [
    ["include"],
    ["src/core"],
    ["src/backend"],
    ["src/expr"],
    ["src/autograd"],
    ["src/ops"],
    ["src/io"],
    ["cli", "python"],
    ["tests", "bench", "fuzz", "examples"],
]
# The families of src/ops whose headers others may include, from the bottom; a family sees those below it.
SHARED_FAMILIES = ["pointwise", "index"]
FAMILY = re.compile(r"src/ops/([^/]+)/")
# A device's own headers are for the backend, and for those that test or measure it.
DEVICE = re.compile(r"src/backend/[^/]+/")
SEES_DEVICES = ("src/backend/", "tests/", "bench/", "fuzz/")
# Of the library, the command line sees what users see, the rows of ops, what they share with
# conditions, and files.
CLI_SEES = re.compile(r"include/|cli/|src/ops/(row|mask/isin|pointwise/by_value)\.h$|src/io/")
# These use Tamis as any user would.
USERS = ("examples/", "tests/consumer/")

# The headers of others that a public header is about.
ABOUT = {"include/tamis/mpi.h": "mpi.h"}

INCLUDE = re.compile(r'\s*#\s*include\s*(["<])([^">]+)[">]')


def level(path):
    for number, folders in enumerate(LAYERS):
        if path.startswith(tuple(folder + "/" for folder in folders)):
            return number
    return None


def resolve(root, path, name):
    """The included file as a path from the root, or None if it is not one of ours."""
    for base in (posixpath.dirname(path), "include", "src", "tests", "cli"):
        target = posixpath.normpath(posixpath.join(base, name))
        if (root / target).is_file():
            return target
    return None


def family_fault(path, target):
    """What is wrong with an include from one place in src/ops to another, or None."""
    there = FAMILY.match(target)
    if not path.startswith("src/ops/") or not there:
        return None
    here = FAMILY.match(path)
    if not here:
        return "a file of src/ops itself sees no family"
    if here[1] == there[1]:
        return None
    if there[1] not in SHARED_FAMILIES:
        return f"{there[1]} is not shared between families; move the header to src/ops"
    below = SHARED_FAMILIES
    if here[1] in below:
        below = below[: below.index(here[1])]
    return None if there[1] in below else f"{there[1]} is above {here[1]}"


def fault(root, path, bracket, name):
    """What is wrong with one include of the file at path, or None."""
    target = resolve(root, path, name)
    if path.startswith("include/") and ABOUT.get(path) == name:
        return None
    if path.startswith("include/"):
        if bracket == '"' and not (name.startswith("tamis/") and target):
            return "quotes are for tamis/ in a public header"
        if bracket == "<" and ("/" in name or "." in name):
            return "a public header includes the standard library and tamis/ only"
    if target is None:
        return None
    if path.startswith(USERS) and target.startswith("src/"):
        return "examples and users see public headers only"
    if DEVICE.match(target) and not path.startswith(SEES_DEVICES):
        return "a device's headers are for the backend, tests and benchmarks only"
    if path.startswith("cli/") and not CLI_SEES.match(target):
        return "the command line uses public headers, row.h and isin.h of src/ops, and src/io only"
    here, there = level(path), level(target)
    if here is None:
        return f"this file is in none of the layers; add its folder to {posixpath.basename(__file__)}"
    if there is not None and there > here:
        return f"{' '.join(LAYERS[there])} is above {' '.join(LAYERS[here])}"
    return family_fault(path, target)


def check(root):
    """All faults under root as lines of text, and the number of files looked at."""
    faults, count = [], 0
    for top in ("include", "src", *LAYERS[-2], *LAYERS[-1]):
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in (".h", ".cpp") or not file.is_file():
                continue
            count += 1
            path = file.relative_to(root).as_posix()
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                text = match and fault(root, path, match[1], match[2])
                if text:
                    faults.append(f"{path}:{number}: {match[2]}: {text}")
    return faults, count


def self_test():
    """Builds a small tree with right and wrong includes; only the wrong ones may be reported."""
    tree = {
        "include/tamis/good.h": '#include <vector>\n#include "tamis/other.h"\n',
        "include/tamis/other.h": "",
        "include/tamis/bad.h": '#include <fmt/core.h>\n#include "core/a.h"\n#include "a.h"\n',
        "src/core/a.h": '#include "tamis/good.h"\n',
        "src/core/bad.cpp": '#include "core/a.h"\n  # include "ops/op.h"\n#include "../ops/op.h"\n',
        "src/backend/cpu/simd.h": '#include "hwy/highway.h"\n#include "core/a.h"\n',
        "src/backend/cpu/x.cpp": '#include "backend/cpu/simd.h"\n// #include "ops/op.h"\n',
        "src/ops/op.h": '#include "core/a.h"\n',
        "src/ops/bad.cpp": '#include "ops/op.h"\n#include "backend/cpu/simd.h"\n',
        "src/ops/bad_test_use.cpp": '#include "helper.h"\n',
        "src/new_layer/bad.cpp": '#include "core/a.h"\n',
        "tests/helper.h": '#include "backend/cpu/simd.h"\n#include "ops/op.h"\n',
        "cli/good.cpp": '#include "tamis/good.h"\n#include "ops/row.h"\n#include "io/reader.h"\n#include "language/a.h"\n',
        "cli/bad.cpp": '#include "ops/op.h"\n#include "core/a.h"\n',
        "cli/language/a.h": "",
        "src/ops/row.h": "",
        "src/ops/bad_shared.cpp": '#include "ops/row.h"\n#include "ops/pointwise/defer.h"\n',
        "src/ops/pointwise/defer.h": '#include "ops/row.h"\n',
        "src/ops/pointwise/bad.cpp": '#include "ops/pointwise/defer.h"\n#include "ops/index/walk.h"\n',
        "src/ops/index/walk.h": '#include "ops/pointwise/defer.h"\n',
        "src/ops/mask/own.h": '#include "ops/index/walk.h"\n#include "ops/pointwise/defer.h"\n',
        "src/ops/reduce/bad.cpp": '#include "ops/index/walk.h"\n#include "ops/mask/own.h"\n',
        "src/io/reader.h": '#include "language/a.h"\n',
        "examples/bad.cpp": "#include <tamis/good.h>\n#include <core/a.h>\n",
    }
    wrong = [
        "cli/bad.cpp:1",
        "cli/bad.cpp:2",
        "examples/bad.cpp:2",
        "include/tamis/bad.h:1",
        "include/tamis/bad.h:2",
        "include/tamis/bad.h:3",
        "src/core/bad.cpp:2",
        "src/core/bad.cpp:3",
        "src/io/reader.h:1",
        "src/new_layer/bad.cpp:1",
        "src/ops/bad.cpp:2",
        "src/ops/bad_shared.cpp:2",
        "src/ops/bad_test_use.cpp:1",
        "src/ops/pointwise/bad.cpp:2",
        "src/ops/reduce/bad.cpp:2",
    ]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for path, text in tree.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        faults, count = check(root)
    found = sorted(re.match(r"[^:]+:\d+", line)[0] for line in faults)
    if found != wrong or count != len(tree):
        sys.exit(f"layers: the check itself is broken: expected {wrong}, found {found}")


def main():
    self_test()
    faults, count = check(pathlib.Path(__file__).resolve().parent.parent)
    for line in faults:
        print(line)
    print(f"layers: {count} files, {len(faults)} faults")
    sys.exit(1 if faults or not count else 0)


if __name__ == "__main__":
    main()
