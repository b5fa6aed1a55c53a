"""Writes docs/reference.md from the op rows: for each op its spelling in Python and C++, what it does, its other
forms, and an example with the output that the module gives.

    PYTHONPATH=build/python python3 python/make_reference.py            writes it
    PYTHONPATH=build/python python3 python/make_reference.py --check    fails if it is out of date
"""

import argparse
import math
import pathlib
import re
import sys

from make_stubs import FOLDER, signatures

ROOT = FOLDER.parents[1]
PAGE = ROOT / "docs" / "reference.md"

HEAD = """# Reference

All operations of Tamis, made from the table of ops by `python/make_reference.py`; the examples are run when it is
made, and the tests fail when this page is out of date. Names, arguments and defaults are PyTorch's; what differs
on purpose is listed in [differences.md](differences.md). In C++ everything is in namespace `tamis` (`#include
<tamis/tamis.h>`), and functions whose first parameter is a tensor are mostly methods too.

*In place* says that there is a method with `_` after its name, which writes its result into the tensor; it keeps
its shape and dtype. *out=* says that Python's function takes a tensor to write into, which may be resized; in C++
that is `into(out, name(...))`. *WebGPU* says which dtypes a GPU takes of those that the CPU takes
([devices.md](devices.md)); this is found out by calling the function there. In the examples, `inf` and `nan` are those of Python's `math`.
"""

WIDTH = 110


# ---- C++ declarations ------------------------------------------------------------------------------------------


def declarations():
    """Of every free function in the public headers: (namespace, name) to (declaration, contract comment)."""
    found = {}
    for header in sorted((ROOT / "include" / "tamis").glob("*.h")):
        text = header.read_text()
        # Constructors and methods are indented; free functions stand at the margin. Those with a body are methods.
        comment, kind, inside = r"((?:^///[^\n]*\n)*)", r"^((?:[\w:<>,]+[ &*]+)+)", r"(\((?:(?!\)\s*{)[^;])*?\));"
        pattern = re.compile(comment + kind + r"(\w+)" + inside, re.MULTILINE)
        for match in pattern.finditer(text):
            comment, kind, name, parameters = match.groups()
            if kind.split()[0] in ("return", "using", "else"):
                continue
            spaces = re.findall(r"^namespace ([\w:]+) \{|^\}  // namespace ([\w:]+)", text[:match.start()], re.MULTILINE)
            opened = [o for o, _ in spaces if o]
            for _, closed in spaces:
                if closed in opened:
                    opened.remove(closed)
            space = opened[-1].rpartition("tamis")[2].strip(":") if opened else ""
            line = re.sub(r"\s+", " ", f"{kind.strip()} {name}{parameters};".replace("inline ", ""))
            found.setdefault((space, name), []).append((line, comment))
    return found


def derived(name, signature):
    """The declaration of a function that the headers make by a macro."""
    kinds = {"Tensor": "const Tensor&", "int": "int64_t", "float": "double", "bool": "bool"}
    parameters = [p for p in signature.parameters if not p.keyword]
    inside = ", ".join(f"{kinds.get(p.type, p.type)} {'x' if p.name == 'input' else p.name}" for p in parameters)
    return f"Tensor {name}({inside});"


# ---- examples --------------------------------------------------------------------------------------------------


def written(value, tamis):
    if isinstance(value, tamis.Tensor):
        plain = tamis.tensor(value.tolist())
        dtype = "" if plain.dtype is value.dtype and plain.shape == value.shape else f", dtype={value.dtype!r}"
        if plain.shape != value.shape:
            return f"tamis.zeros({value.shape!r}{dtype})"
        return f"tamis.tensor({value.tolist()!r}{dtype})"
    if isinstance(value, list):
        return "[" + ", ".join(written(v, tamis) for v in value) + "]"
    return repr(value)


def is_default(value, parameter):
    if not parameter.default:
        return False
    if value is None or value == ():
        return parameter.default in ("None", "[]")
    return repr(value).rpartition(".")[2] == parameter.default or repr(value) == parameter.default


def example(name, parameters, row, tamis):
    """The call of a function on a sample as text, and what it prints."""
    parts, named, sample = [], False, row["sample"]
    for parameter, value in zip(parameters, sample):
        if is_default(value, parameter):
            named = True
        else:
            if parameter.types == ("Tensor",) and isinstance(value, (int, float)):
                value = tamis.tensor(value)
            text = written(value, tamis)
            parts.append(f"{parameter.name}={text}" if named or parameter.keyword else text)
            named = named or bool(parameter.default)
    call = f"tamis.{name}({', '.join(parts)})"
    lines = []
    if len(call) > WIDTH:
        short = []
        for parameter, part, value in zip(parameters, list(parts), sample):
            if isinstance(value, tamis.Tensor) and part.startswith("tamis."):
                variable = parameter.name if parameter.name != "input" else "x"
                lines.append(f"{variable} = {part}")
                part = variable
            short.append(part)
        call = f"tamis.{name}({', '.join(short + parts[len(short):])})"
    if row["random"]:
        lines.insert(0, "tamis.manual_seed(0)")
    namespace = {"tamis": tamis, "inf": math.inf, "nan": math.nan}
    for line in lines:
        exec(line, namespace)
    result = eval(call, namespace)
    shown = [f">>> {line}" for line in [*lines, call]]
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        for field in result._fields:
            shown += f"{field}: {getattr(result, field)!r}".split("\n")
    elif isinstance(result, tuple):
        shown += [line for part in result for line in repr(part).split("\n")]
    else:
        shown += repr(result).split("\n")
    return shown


# ---- devices ---------------------------------------------------------------------------------------------------


INDICES = {"index", "indices", "offsets", "repeats", "sorter", "lengths", "target", "boundaries"}


def changed(name, value, tamis, dtype, device):
    """A sample's value on the device, tensors of numbers and dtypes as that dtype."""
    if isinstance(value, list):
        return [changed(name, v, tamis, dtype, device) for v in value]
    if isinstance(value, tamis.Tensor):
        is_number = value.dtype is not tamis.bool and name not in INDICES
        return (value.to(dtype) if is_number else value).to(device)
    return dtype if isinstance(value, tamis.dtype) and value.is_floating_point else value


def refusal(function, parameters, row, tamis, dtype):
    """Whether a GPU refuses what the CPU does with this dtype; None if the CPU does not take it."""

    def call(device):
        values = [changed(p.name, value, tamis, dtype, device) for p, value in zip(parameters, row["sample"])]
        given = {p.name: v for p, v in zip(parameters, values) if p.keyword and not is_default(v, p)}
        if any(p.name == "device" for p in signatures(function)[0].parameters):
            given["device"] = device
        if any(p.name == "dtype" for p in parameters) and "dtype" not in given and row["creates"]:
            given["dtype"] = dtype
        return function(*[v for p, v in zip(parameters, values) if not p.keyword], **given)

    try:
        call("cpu")
    except Exception:
        return None
    try:
        call("webgpu")
    except RuntimeError as error:
        if "not available on" not in str(error):
            raise
        return True
    return False


def on_webgpu(function, parameters, row, tamis):
    """The dtypes that a GPU takes, as a sentence."""
    refused = []
    kinds = [("float32", tamis.float32), ("float64", tamis.float64), ("complex numbers", tamis.complex64)]
    if any(isinstance(value, tamis.Tensor) and value.is_complex() for value in row["sample"]):
        kinds = kinds[2:]
    for text, dtype in kinds:
        if refusal(function, parameters, row, tamis, dtype):
            refused.append(text)
    if {"float32", "float64"} <= set(refused) and row["name"] == "float_power":
        return "WebGPU: not available, since it computes in float64."
    if "float32" in refused:
        sys.exit(f"{row['name']}: webgpu refuses float32")
    return f"WebGPU: not {' and '.join(refused)}." if refused else "WebGPU: all dtypes."


# ---- the page --------------------------------------------------------------------------------------------------


def sentence_of(comment):
    text = " ".join(line[3:].strip() for line in comment.strip().split("\n")) if comment else ""
    return re.sub(r"\s+", " ", text).strip()


def section(row, headers, tamis):
    """A function with all its overloads; the example is of its first row."""
    module, name = row["space"], row["name"]
    python_name = f"{module}.{name}" if module else name
    function = getattr(getattr(tamis, module) if module else tamis, name)
    overloads = signatures(function)
    declared = headers.get((module, name)) or headers.get(("", name)) or []
    contract = next((sentence_of(comment) for _, comment in declared if comment), "")
    cpp = [line for line, _ in declared] or [derived(name, overloads[0])]
    lines = [f"### {python_name}", "", row["summary"]]
    if len(overloads) > 1:
        lines = lines[:-1] + [f"- `{name}{overload.text}`: {overload.summary}" for overload in overloads]
    if contract and contract != row["summary"]:
        lines += ["", contract]
    forms = []
    if row["in_place"]:
        forms.append(f"In place: `x.{name}_`.")
    if row["out"]:
        forms.append("`out=`.")
    forms.append(on_webgpu(function, overloads[0].parameters, row, tamis))
    lines += ["", " ".join(forms)]
    lines += ["", "```text", f"Python  tamis.{python_name}{function.__text_signature__}"]
    lines += [f"C++     {line}" for line in cpp] + ["```", "", "```text"]
    return lines + example(python_name, overloads[0].parameters, row, tamis) + ["```", ""]


def methods(tamis, families):
    """Methods that no function stands for."""
    names = {row["name"] for _, rows in families for row in rows}
    lines = ["## Methods that are no functions", "", "| | |", "|---|---|"]
    for name, value in sorted(vars(tamis.Tensor).items()):
        if hasattr(value, "__row__") and value.__name__ == name and name not in names and name.rstrip("_") not in names:
            signature, _, text = value.__doc__.partition("\n\n")
            lines.append(f"| `x.{signature.replace('(self, ', '(').replace('(self)', '()')}` | {text} |")
    return lines


def page(tamis):
    headers = declarations()
    families = tamis._tamis._families()
    lines = [HEAD]
    tamis.set_num_threads(1)
    for title, rows in families:
        if not rows:
            continue
        lines += [f"## {title}", ""]
        names = set()
        for row in rows:
            full_name = (row["space"], row["name"])
            if row["function"] and full_name not in names:
                lines += section(row, headers, tamis)
                names.add(full_name)
    return "\n".join(lines + methods(tamis, families)) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    check = parser.parse_args().check
    # The package beside this script has no extension module; the built one has.
    sys.path = [p for p in sys.path if pathlib.Path(p).resolve() != FOLDER.parent]
    import tamis

    text = page(tamis)
    if not check:
        PAGE.write_text(text)
    elif not PAGE.exists() or PAGE.read_text() != text:
        sys.exit("docs/reference.md is out of date; run python/make_reference.py")


if __name__ == "__main__":
    main()
