"""What the tests of gradients share."""

import numpy as np

import tamis


def leaf(values, dtype=tamis.float64):
    return tamis.tensor(values, dtype=dtype).requires_grad_()


def same(x, expected):
    np.testing.assert_array_equal(x.detach().numpy(), expected)


def close(x, expected):
    np.testing.assert_allclose(x.detach().numpy(), expected, rtol=1e-12, atol=1e-15)
