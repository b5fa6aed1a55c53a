"""The functions and methods of PyTorch that Tamis does not have, by name and reason, in absent.txt."""

import types
from pathlib import Path

import tamis
import tamis.nn.functional
import torch
import torch.nn.functional

LIST = Path(__file__).with_name("absent.txt")


def listed():
    """The names under their reasons. A line that begins with # is a reason; x.name is a method, F.name a
    function of torch.nn.functional."""
    found, reason = {}, None
    for line in LIST.read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
            continue
        for name in line.split():
            assert name not in found, f"{name} is listed twice"
            found[name] = reason
    return found


def public(owner, is_wanted):
    return {name for name in dir(owner) if not name.startswith("_") and is_wanted(getattr(owner, name))}


def is_function(value):
    return callable(value) and not isinstance(value, (type, types.ModuleType, torch.dtype))


def names_in_torch():
    """Functions of torch, and methods that are no functions as x.name. What writes to its tensor is a method here."""
    functions = public(torch, is_function)
    methods = public(torch.Tensor, lambda v: is_function(v) or isinstance(v, types.GetSetDescriptorType))
    writers = {name for name in functions if name.endswith("_")} | {"detach"}
    functions -= writers
    layers = public(torch.nn.functional, is_function)
    return functions | {f"x.{name}" for name in (methods | writers) - functions} | {f"F.{name}" for name in layers}


def has(name):
    owner = {"x.": tamis.Tensor, "F.": tamis.nn.functional}.get(name[:2], tamis)
    return hasattr(owner, name[2:] if name[1:2] == "." else name)


def test_the_list_is_true():
    absent = {name for name in names_in_torch() if not has(name)}
    assert sorted(set(listed()) - absent) == [], "Tamis has these, or PyTorch does not: take them out of absent.txt"
    assert sorted(absent - set(listed())) == [], "these are not in absent.txt"


def test_every_name_has_a_reason():
    assert all(listed().values()) and len(listed()) > 100
