"""Mask builders: bool tensors from lengths, indices, token ids, diagonals and ranges. True keeps."""

from tamis._tamis.masks import *  # noqa: F401,F403
