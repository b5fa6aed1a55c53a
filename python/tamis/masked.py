"""Reductions and normalisations over the elements that a mask keeps, as torch.masked has them.

Holds what the library has; a name that is missing here does not exist yet.
"""

from tamis import _tamis

for _name, _value in vars(getattr(_tamis, "masked", object)).items():
    if not _name.startswith("_"):
        globals()[_name] = _value
