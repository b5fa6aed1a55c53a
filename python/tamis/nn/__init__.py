"""What Tamis has of torch.nn: its functions. There are no modules."""

from tamis.nn import functional as functional

__all__ = ["functional"]
