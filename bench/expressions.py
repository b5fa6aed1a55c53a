"""Expressions: what the sweep measures, as Python text that Tamis, torch and NumPy evaluate.

The names in them: `t` is the library (`np` in NumPy's own text), `F` its nn.functional. `x` and `y` are matrices of n
elements, contiguous or transposed, `p` and `q` the same with positive elements, `m` and `o` masks of their shape, half
of them true. `f`, `g` and `k` are x, y and m as vectors, always contiguous. `i` are n random indices of a vector, `j`
of columns, in the shape of x, `r` of rows, one for each row; `v` are 1000 sorted values, `s` are 16. `n` is the number
of elements, `a` and `b` the sizes of x. `A` and `B` are square matrices of n elements, `d` and `e` vectors of their size.
`u` is like x, between 0 and 1; `c` has two rows, `z` three columns, and `w` is a vector of one element.
"""

import dataclasses


@dataclasses.dataclass
class Expression:
    text: str  # of Tamis and torch
    numpy: str = ""  # empty: NumPy has nothing like it
    dtypes: str = "fdi"  # float32, float64, int64
    largest: int = 10**7
    is_forced: bool = True  # not if the call itself does all the work, or there is none

    @property
    def is_flat(self):
        """Whether it has contiguous operands only."""
        names = set(compile(self.text, "", "eval").co_names)
        return not names & {"x", "y", "p", "q", "m", "o", "u"}


def same(text, **options):
    """An expression that NumPy writes in the same way."""
    return Expression(text, text.replace("t.", "np."), **options)


def unary(names, operand="x", **options):
    return [same(f"t.{name}({operand})", **options) for name in names.split()]


def binary(names, operands="x, y", **options):
    return [same(f"t.{name}({operands})", **options) for name in names.split()]


def reductions(names, numpy=None, **options):
    """Each over everything, over rows and over columns."""
    found = []
    for name in names.split():
        for dim in ("", "0", "1"):
            theirs = f"np.{numpy or name}(x, {dim})" if dim else f"np.{numpy or name}(x)"
            found.append(Expression(f"t.{name}(x, {dim})" if dim else f"t.{name}(x)", theirs, **options))
    return found


FLOATS = {"dtypes": "fd"}
INTEGERS = {"dtypes": "i"}
SORTED = {"largest": 10**5}

POINTWISE = [
    *unary("exp expm1 sin cos tan tanh floor ceil trunc reciprocal isnan isinf isfinite isneginf isposinf", **FLOATS),
    *unary("log log2 log10 log1p sqrt", "p", **FLOATS),
    *unary("abs sign square round logical_not"),
    Expression("t.neg(x)", "np.negative(x)"),
    Expression("t.rsqrt(p)", **FLOATS),
    Expression("t.sigmoid(x)", **FLOATS),
    Expression("t.erf(x)", **FLOATS),
    Expression("t.relu(x)", "np.maximum(x, 0)"),
    Expression("t.angle(x)", "np.angle(x)", **FLOATS),
    Expression("t.bitwise_not(x)", "np.invert(x)", **INTEGERS),
    Expression("~m", "~m", dtypes="f"),
    *[same(f"x {op} y") for op in ("+", "-", "*")],
    same("x / q"),
    same("x > y"),
    *[same(f"m {op} o", dtypes="f") for op in ("&", "|", "^")],
    same("x + 1"),
    same("x * 2 + y"),
    same("x > 0"),
    same("(x > 0) & (x < 1)"),
    *binary("maximum minimum logical_and logical_or logical_xor"),
    *[
        Expression(f"t.{ours}(x, y)", f"np.{theirs}(x, y)")
        for ours, theirs in zip(
            "eq ne lt le gt ge".split(), "equal not_equal less less_equal greater greater_equal".split()
        )
    ],
    *binary("floor_divide remainder fmod", "x, q"),
    Expression("t.pow(p, q)", "np.power(p, q)"),
    Expression("t.pow(p, 2)", "np.power(p, 2)"),
    *binary("logaddexp logaddexp2", **FLOATS),
    *binary("bitwise_and bitwise_or bitwise_xor", **INTEGERS),
    Expression("t.clamp(x, -1, 1)", "np.clip(x, -1, 1)"),
    Expression("t.clamp_min(x, 0)", "np.maximum(x, 0)"),
    Expression("t.clamp_max(x, 0)", "np.minimum(x, 0)"),
    same("t.nan_to_num(x)", **FLOATS),
    same("t.isclose(x, y)", **FLOATS),
    same("t.allclose(x, x)", **FLOATS),
    Expression("t.equal(x, x)", "np.array_equal(x, x)"),
    *unary("sinh cosh deg2rad rad2deg exp2 signbit sinc i0", **FLOATS),
    *unary("positive"),
    *[
        Expression(f"t.{ours}({operand})", f"np.{theirs}({operand})", **FLOATS)
        for ours, theirs, operand in (
            ("asin", "arcsin", "u"), ("acos", "arccos", "u"), ("atan", "arctan", "x"), ("asinh", "arcsinh", "x"),
            ("acosh", "arccosh", "p"), ("atanh", "arctanh", "u"), ("fix", "trunc", "x"), ("frexp", "frexp", "x"),
        )
    ],
    *[Expression(f"t.{name}({operand})", **FLOATS) for name, operand in (
        ("erfc", "x"), ("erfinv", "u"), ("frac", "x"), ("digamma", "p"), ("lgamma", "p"), ("logit", "u"),
        ("celu", "x"), ("selu", "x"), ("hardshrink", "x"))],
    Expression("t.threshold(x, 0.5, 0)", **FLOATS),
    Expression("t.sgn(x)", "np.sign(x)"),
    Expression("t.isreal(x)", "np.isreal(x)"),
    Expression("t.prelu(x, w)", **FLOATS),
    Expression("t.rrelu(x)", **FLOATS),
    Expression("t.polygamma(1, p)", **FLOATS),
    Expression("t.mvlgamma(p + 1, 2)", **FLOATS),
    *binary("copysign heaviside hypot nextafter fmax fmin float_power", "p, q", **FLOATS),
    Expression("t.atan2(x, y)", "np.arctan2(x, y)", **FLOATS),
    Expression("t.ldexp(x, j)", **FLOATS),
    Expression("t.xlogy(x, q)", **FLOATS),
    *[Expression(f"t.{name}(p, q)", **FLOATS) for name in ("igamma", "igammac")],
    *binary("gcd lcm", "p, q", **INTEGERS),
    Expression("t.bitwise_left_shift(x, 3)", "np.left_shift(x, 3)", **INTEGERS),
    Expression("t.bitwise_right_shift(x, 3)", "np.right_shift(x, 3)", **INTEGERS),
    Expression("t.rsub(x, y)", "np.subtract(y, x)"),
    Expression("t.addcmul(x, p, q)", "x + p * q"),
    Expression("t.addcdiv(x, p, q)", "x + p / q", **FLOATS),
    Expression("t.lerp(x, y, 0.25)", "x + x.dtype.type(0.25) * (y - x)", **FLOATS),
    Expression("x.to(t.float64)", "x.astype(np.float64)", dtypes="fi"),
    Expression("x.to(t.float32)", "x.astype(np.float32)", dtypes="di"),
    Expression("x.to(t.int64)", "x.astype(np.int64)", **FLOATS),
    Expression("x.to(t.bool)", "x.astype(np.bool_)"),
]

MASKS = [
    Expression("x[m]", "x[m]"),
    Expression("t.masked_select(x, m)", "x[m]"),
    Expression("x[x > 0]", "x[x > 0]"),
    Expression("x[m] * y[m]", "x[m] * y[m]"),
    Expression("x[m].sum()", "x[m].sum()"),
    same("t.where(m, x, y)"),
    Expression("t.where(m, x, 0)", "np.where(m, x, x.dtype.type(0))"),
    Expression("t.masked_fill(x, m, 0)", "np.where(m, x.dtype.type(0), x)"),
    Expression("t.masked_scatter(x, m, y)"),
    Expression("(x * m).sum()", "(x * m).sum()"),
    Expression("t.nonzero(m)", "np.argwhere(m)", dtypes="f"),
    same("t.argwhere(m)", dtypes="f"),
    same("t.count_nonzero(x)"),
    same("t.count_nonzero(m)", dtypes="f"),
    Expression("m.sum()", "m.sum()", dtypes="f"),
    Expression("t.all(m)", "np.all(m)", dtypes="f"),
    Expression("t.any(m)", "np.any(m)", dtypes="f"),
    Expression("t.all(m, 1)", "np.all(m, 1)", dtypes="f"),
    Expression("t.any(m, 0)", "np.any(m, 0)", dtypes="f"),
    Expression("t.isin(f, s)", "np.isin(f, s)"),
]

REDUCTIONS = [
    *reductions("sum prod amax amin argmax argmin"),
    *reductions("mean", dtypes="fd"),
    *reductions("nansum nanmean", dtypes="fd"),
    *[Expression(f"t.{name}(x{dim})", f"np.{name}(x{dim and dim[:3]}, ddof=1)", dtypes="fd")
      for name in ("var", "std") for dim in ("", ", 0", ", 1")],
    Expression("t.max(x)", "np.max(x)"),
    Expression("t.max(x, 1)"),
    Expression("t.min(x, 0)"),
    Expression("t.aminmax(x)"),
    Expression("t.var_mean(x)", dtypes="fd"),
    Expression("t.std_mean(x)", dtypes="fd"),
    Expression("t.norm(x)", "np.linalg.norm(x)", dtypes="fd"),
    Expression("t.norm(x, 2, 1)", "np.linalg.norm(x, 2, 1)", dtypes="fd"),
    Expression("t.logsumexp(x, 1)", dtypes="fd"),
    Expression("t.softmax(x, 0)", dtypes="fd"),
    Expression("t.softmax(x, 1)", dtypes="fd"),
    Expression("t.log_softmax(x, 1)", dtypes="fd"),
    same("t.cumsum(x, 0)"),
    same("t.cumsum(x, 1)"),
    same("t.cumprod(x, 1)"),
    Expression("t.cummax(x, 1)"),
    Expression("t.cummin(x, 1)"),
    Expression("t.logcumsumexp(x, 1)", dtypes="fd"),
    same("t.diff(x)"),
]  # fmt: skip

ORDER = [
    Expression("t.sort(f)", "np.sort(f)", **SORTED),
    Expression("t.msort(f)", "np.sort(f)", **SORTED),
    Expression("t.argsort(f)", "np.argsort(f)", **SORTED),
    Expression("t.sort(x, 1)", "np.sort(x, 1)", **SORTED),
    Expression("t.topk(f, 5)"),
    Expression("t.kthvalue(f, 5)", "np.partition(f, 4)[4]"),
    Expression("t.median(f)", "np.median(f)", **SORTED),
    Expression("t.nanmedian(f)", "np.nanmedian(f)", dtypes="fd", **SORTED),
    Expression("t.quantile(f, 0.5)", "np.quantile(f, 0.5)", dtypes="fd", **SORTED),
    Expression("t.nanquantile(f, 0.5)", "np.nanquantile(f, 0.5)", dtypes="fd", **SORTED),
    Expression("t.mode(f)", dtypes="i", **SORTED),
    Expression("t.unique(f)", "np.unique(f)", **SORTED),
    Expression("t.unique_consecutive(f)", dtypes="i", **SORTED),
    same("t.searchsorted(v, f)", **SORTED),
    Expression("t.bucketize(f, v)", "np.digitize(f, v)", **SORTED),
    Expression("t.bincount(i)", "np.bincount(i)", dtypes="f"),
]

INDEX = [
    Expression("t.gather(x, 1, j)", "np.take_along_axis(x, j, 1)"),
    Expression("t.take_along_dim(x, j, 1)", "np.take_along_axis(x, j, 1)"),
    Expression("t.take(f, i)", "np.take(f, i)"),
    Expression("f[i]", "f[i]"),
    Expression("t.index_select(x, 0, r)", "x[r]"),
    Expression("t.index_select(f, 0, i)", "np.take(f, i)"),
    Expression("t.scatter(x, 1, j, y)"),
    Expression("t.scatter_add(x, 1, j, y)"),
    Expression("t.index_add(x, 0, r, y)"),
    Expression("t.index_copy(x, 0, r, y)"),
    Expression("t.index_fill(x, 0, r, 0)"),
    Expression("t.repeat_interleave(f, 2)", "np.repeat(f, 2)"),
    # Values are taken: NumPy's flipped views are copied.
    Expression("t.flip(x, [0])", "np.flip(x, [0]).copy()"),
    Expression("t.flip(x, [1])", "np.flip(x, [1]).copy()"),
    Expression("t.roll(x, 3, 1)", "np.roll(x, 3, 1)"),
    Expression("t.rot90(x)", "np.rot90(x).copy()"),
    Expression("t.cat([x, y])", "np.concatenate([x, y])"),
    Expression("t.cat([x, y], 1)", "np.concatenate([x, y], 1)"),
    same("t.stack([x, y])"),
    same("t.hstack([x, y])"),
    same("t.vstack([x, y])"),
    same("t.tile(x, (2, 1))"),
    same("t.dstack([x, y])"),
    same("t.column_stack([x, y])"),
    Expression("t.block_diag(A, B)", largest=10**5),
    Expression("t.diagflat(d)", "np.diagflat(d)"),
    Expression("t.fill(x, 2)", "np.full_like(x, 2)"),
    same("t.tril(x)"),
    same("t.triu(x)"),
    Expression("t.diag(d)", "np.diag(d)"),
    Expression("x.clone()", "x.copy()"),
    Expression("x.contiguous()", "np.ascontiguousarray(x)", is_forced=False),
    Expression("x.t().contiguous()", "np.ascontiguousarray(x.T)", is_forced=False),
    Expression("x.t() + y.t()", "x.T + y.T"),
    Expression("x + d_row", "x + d_row"),
    Expression("x + d_column", "x + d_column"),
    Expression("F.pad(x, (1, 1))", "np.pad(x, ((0, 0), (1, 1)))"),
]

CREATION = [
    Expression("t.zeros(n)", "np.zeros(n, np.float32)", dtypes="f"),
    Expression("t.ones(n)", "np.ones(n, np.float32)", dtypes="f"),
    Expression("t.full((n,), 2.5)", "np.full((n,), 2.5, np.float32)", dtypes="f"),
    same("t.arange(n)", dtypes="f"),
    Expression("t.linspace(0, 1, n)", "np.linspace(0, 1, n, dtype=np.float32)", dtypes="f"),
    Expression("t.eye(b)", "np.eye(b, dtype=np.float32)", dtypes="f"),
    same("t.zeros_like(f)"),
    same("t.ones_like(f)"),
    same("t.full_like(f, 2)"),
    Expression("t.rand(n)", "rng.random(n, np.float32)", dtypes="f"),
    Expression("t.randn(n)", "rng.standard_normal(n, np.float32)", dtypes="f"),
    Expression("t.randint(0, 100, (n,))", "rng.integers(0, 100, n)", dtypes="f"),
    Expression("t.randperm(n)", "rng.permutation(n)", dtypes="f", largest=10**5),
    same("t.meshgrid(d, e, indexing='ij')"),
    Expression("t.cartesian_prod(d, e)"),
    Expression("t.combinations(d, 2)", largest=10**5),
    Expression("t.logspace(0, 1, n)", "np.logspace(0, 1, n, dtype=np.float32)", dtypes="f"),
    Expression("t.vander(d, 3)", "np.vander(d, 3)", dtypes="fd"),
    Expression("t.normal(0.0, 1.0, (n,))", "rng.normal(0, 1, n)", dtypes="f"),
    Expression("t.poisson(p)", "rng.poisson(p)", dtypes="f", largest=10**5),
    Expression("t.randint_like(f, 100)", "rng.integers(0, 100, n)", dtypes="f"),
    Expression("t.tril_indices(b, b)", "np.tril_indices(b)", dtypes="f"),
]

PRODUCTS = [
    Expression("A @ B", "A @ B", dtypes="fd", largest=10**5),
    Expression("t.mv(A, d)", "A @ d", dtypes="fd"),
    Expression("t.dot(f, g)", "np.dot(f, g)", dtypes="fd"),
    same("t.outer(d, e)"),
    Expression("t.addmm(A, A, B)", dtypes="fd", largest=10**5),
    Expression("t.addmv(d, A, e)", "d + A @ e", dtypes="fd"),
    Expression("t.addr(A, d, e)", "A + np.outer(d, e)"),
    Expression("t.vdot(f, g)", "np.vdot(f, g)", dtypes="fd"),
    Expression("t.inner(f, g)", "np.inner(f, g)", dtypes="fd"),
    Expression("t.tensordot(A, B, 1)", "np.tensordot(A, B, 1)", dtypes="fd", largest=10**5),
    Expression("t.einsum('ij,kj->ik', A, B)", "np.einsum('ij,kj->ik', A, B)", dtypes="fd", largest=10**5),
    Expression("t.kron(d, e)", "np.kron(d, e)"),
    Expression("t.trace(A)", "np.trace(A)"),
    Expression("t.cov(c)", "np.cov(c)", dtypes="fd"),
    Expression("t.corrcoef(c)", "np.corrcoef(c)", dtypes="fd"),
    Expression("t.cross(z, z, dim=1)", "np.cross(z, z)"),
    Expression("t.cdist(c.t(), c.t())", dtypes="fd", largest=10**3),
    Expression("t.pdist(c.t())", dtypes="fd", largest=10**3),
    Expression("t.pairwise_distance(x, y)", dtypes="fd"),
    Expression("t.cosine_similarity(x, y)", dtypes="fd"),
    Expression("t.dist(x, y)", "np.linalg.norm(x - y)", dtypes="fd"),
    Expression("t.renorm(x, 2, 0, 1)", dtypes="fd"),
    Expression("t.trapezoid(x)", "np.trapz(x)", dtypes="fd"),
    Expression("t.cumulative_trapezoid(x)", dtypes="fd"),
    Expression("t.gradient(f)", "np.gradient(f)", dtypes="fd"),
    Expression("t.histc(f, 100, -3, 3)", "np.histogram(f, 100, (-3, 3))[0]", dtypes="fd"),
    Expression("t.layer_norm(x, (b,))", dtypes="fd"),
    Expression("F.embedding(r, A)", "A[r]", dtypes="fd"),
]

LOSSES = [
    Expression("F.mse_loss(x, y)", dtypes="fd"),
    Expression("F.l1_loss(x, y)", dtypes="fd"),
    Expression("F.smooth_l1_loss(x, y)", dtypes="fd"),
    Expression("F.huber_loss(x, y)", dtypes="fd"),
    Expression("F.binary_cross_entropy_with_logits(x, y)", dtypes="fd"),
    Expression("F.cross_entropy(x, r_classes)", dtypes="fd"),
]

VIEWS = [
    Expression("x.t()", "x.T", is_forced=False),
    Expression("x[1:]", "x[1:]", is_forced=False),
    Expression("x[0]", "x[0]", is_forced=False),
    Expression("f.reshape(a, b)", "f.reshape(a, b)", is_forced=False),
    Expression("x.unsqueeze(0)", "np.expand_dims(x, 0)", is_forced=False),
    Expression("f.flatten()", "f.ravel()", is_forced=False),
    Expression("t.squeeze(x)", "np.squeeze(x)", is_forced=False),
    Expression("t.permute(x, (1, 0))", "np.transpose(x, (1, 0))", is_forced=False),
    Expression("t.movedim(x, 0, 1)", "np.moveaxis(x, 0, 1)", is_forced=False),
    Expression("t.swapaxes(x, 0, 1)", "np.swapaxes(x, 0, 1)", is_forced=False),
    Expression("t.broadcast_to(d, (2, d.shape[0]))", "np.broadcast_to(d, (2, d.shape[0]))", is_forced=False),
    Expression("t.diagonal(x)", "np.diagonal(x)", is_forced=False),
]

EXPRESSIONS = [
    *POINTWISE, *MASKS, *REDUCTIONS, *ORDER, *INDEX, *CREATION, *PRODUCTS, *LOSSES, *VIEWS,
]  # fmt: skip

# Rows that torch or NumPy have too and that no expression above calls.
LEFT_OUT = {
    "another name of a function above": "absolute add clip concat concatenate div divide greater greater_equal less "
    "less_equal max mul multiply mm matmul moveaxis negative not_equal partition ravel sub subtract swapdims transpose "
    "true_divide percentile nanmax nanmin nanstd nanvar fliplr flipud arccos arccosh arcsin arcsinh arctan arctan2 "
    "arctanh ger range row_stack trapz constant_pad_nd histogram atleast_1d atleast_2d atleast_3d baddbmm addbmm",
    "in-place form or part of a function above": "diagonal_scatter index_put index_reduce put scatter_reduce "
    "select_scatter slice_scatter empty empty_like diag_embed split_with_sizes unflatten narrow select split chunk "
    "unbind as_strided as_strided_scatter empty_strided dsplit hsplit vsplit tensor_split broadcast_tensors reshape flatten unsqueeze t min bmm triu_indices randn_like rand_like",
    "complex numbers": "complex conj imag real view_as_complex view_as_real is_complex polar adjoint",
    "draws by another rule": "bernoulli multinomial binomial dropout alpha_dropout feature_dropout "
    "feature_alpha_dropout native_dropout",
    "a loss or layer of the kind above": "cosine_embedding_loss hinge_embedding_loss kl_div margin_ranking_loss "
    "poisson_nll_loss triplet_margin_loss embedding_bag segment_reduce",
    "no arithmetic": "result_type can_cast promote_types is_nonzero is_same_size is_signed scalar_tensor",
}
