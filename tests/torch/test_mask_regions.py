"""Masks of sequences and images, against plain loops: torch has none of these functions."""

import numpy as np
import tamis
import torch

from cases import Pair, mask, pick, same_in_tamis, seeded
from test_mask_values import against


def images(x, ndim, rule):
    """A rule for 2-d arrays on each image of a batch."""
    x = x.numpy()
    sizes = x.shape[-ndim:] if ndim == 2 else (1, x.shape[-1])
    flat = [rule(image) for image in x.reshape((-1,) + sizes)]
    return np.array(flat)


def dilated(image, radius, element, border):
    found = np.zeros_like(image)
    for (y, x), _ in np.ndenumerate(image):
        for dy in range(-radius[0], radius[0] + 1):
            for dx in range(-radius[1], radius[1] + 1):
                if element == "cross" and dy and dx:
                    continue
                v, u = y + dy, x + dx
                inside = 0 <= v < image.shape[0] and 0 <= u < image.shape[1]
                found[y, x] |= image[v, u] if inside else border
    return found


def test_morphology(check):
    rng = seeded("morphology")
    for i in range(25):
        ndim = int(rng.randint(1, 3))
        shape = pick(rng, [(4, 6), (5, 5), (2, 3, 4), (1, 7)] if ndim == 2 else [(9,), (3, 8), (2, 2, 5)])
        m = mask(shape, rng)
        radius = [int(r) for r in rng.randint(0, 3, ndim)]
        element, border, times = pick(rng, ["box", "cross"]), bool(rng.randint(2)), int(rng.randint(1, 4))
        both = radius if ndim == 2 else [0] + radius

        def grown(image, border):
            for _ in range(times):
                image = dilated(image, both, element, border)
            return image

        def dilate(m, radius, **_):
            return torch.from_numpy(images(m, ndim, lambda im: grown(im, border))).reshape(m.shape)

        def erode(m, radius, **_):
            return torch.from_numpy(~images(~m, ndim, lambda im: grown(im, not border))).reshape(m.shape)

        options = dict(ndim=ndim, element=element, iterations=times, border=border)
        against(check, "dilate", dilate, m, radius, **options)
        against(check, "erode", erode, m, radius, **options)


def components(image, diagonals):
    """Labels by flooding."""
    labels, count = np.zeros(image.shape, np.int64), 0
    for start in zip(*np.nonzero(image)):
        if labels[start]:
            continue
        count += 1
        labels[start] = count
        open_ = [start]
        while open_:
            y, x = open_.pop()
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    v, u = y + dy, x + dx
                    if (dy and dx and not diagonals) or not (0 <= v < image.shape[0] and 0 <= u < image.shape[1]):
                        continue
                    if image[v, u] and not labels[v, u]:
                        labels[v, u] = count
                        open_.append((v, u))
    return labels, count


def test_label(check):
    rng = seeded("label")
    for i in range(30):
        ndim = int(rng.randint(1, 3))
        m = mask(pick(rng, [(6, 7), (3, 5, 5), (12, 9)]), rng)
        connectivity = pick(rng, [4, 8])

        def want(m, connectivity, ndim):
            batch = m.shape[:m.dim() - ndim]
            rows = m.numpy().reshape((-1,) + (1,) * (2 - ndim) + m.shape[-ndim:])
            found = [components(image, connectivity == 8) for image in rows]
            labels = torch.from_numpy(np.array([labels for labels, _ in found])).reshape(m.shape)
            return labels, torch.tensor([count for _, count in found]).reshape(batch)

        against(check, "label", want, m, connectivity, ndim=ndim)


def runs(m, order):
    flat = m.numpy().flatten(order)
    starts, lengths, before = [], [], False
    for i, v in enumerate(flat):
        if v and not before:
            starts.append(i)
            lengths.append(0)
        if v:
            lengths[-1] += 1
        before = v
    return torch.tensor(starts, dtype=torch.int64), torch.tensor(lengths, dtype=torch.int64)


def counts(m, order):
    found, value = [0], False
    for v in m.numpy().flatten(order):
        if v != value:
            found.append(0)
            value = v
        found[-1] += 1
    return torch.tensor(found)


def test_run_lengths(check):
    rng = seeded("runs")
    for shape in [(0,), (1,), (40,), (5, 9), (3, 4, 5), (), (70, 80)]:
        for order in ("C", "F"):
            m = mask(shape, rng)
            against(check, "to_runs", lambda m, order: runs(m, order), m, order=order)
            against(check, "to_counts", lambda m, order: counts(m, order), m, order=order)
            starts, lengths = (Pair(t, same_in_tamis(t)) for t in runs(m.torch, order))
            against(check, "from_runs", lambda *_, **__: m.torch, list(shape), starts, lengths, order=order)
            n = counts(m.torch, order)
            against(check, "from_counts", lambda *_, **__: m.torch, list(shape), Pair(n, same_in_tamis(n)), order=order)


def inside(x, y, rings):
    """Whether a ray to the left of a point crosses an odd number of edges."""
    odd = False
    for ring in rings:
        for (x0, y0), (x1, y1) in zip(ring, ring[1:] + ring[:1]):
            if (y0 > y) != (y1 > y) and x0 + (y - y0) * (x1 - x0) / (y1 - y0) <= x:
                odd = not odd
    return odd


def test_polygons(check):
    rng = seeded("polygons")

    def filled(shape, rings):
        rings = [ring.double().tolist() for ring in (rings if isinstance(rings, list) else [rings])]
        rows = [[inside(j + 0.5, i + 0.5, rings) for j in range(shape[1])] for i in range(shape[0])]
        return torch.tensor(rows, dtype=torch.bool).reshape(shape)

    for i in range(25):
        shape = [int(n) for n in rng.randint(1, 12, 2)]
        dtype = pick(rng, ["float32", "float64"])
        rings = []
        for _ in range(rng.randint(1, 4)):
            vertices = torch.from_numpy(rng.rand(rng.randint(1, 8), 2) * 16 - 2).to(getattr(torch, dtype))
            rings.append(Pair(vertices, same_in_tamis(vertices)))
        against(check, "from_polygons", filled, shape, rings)
        against(check, "from_polygons", filled, shape, rings[0])
        m = mask(shape, rng)
        back = lambda m: tamis.masks.from_polygons(list(m.shape), tamis.masks.to_polygons(m))
        check("to_polygons", m, call=lambda lib, m: m if lib is torch else back(m))


def test_random_regions_are_where_they_may_be(check):
    rng = seeded("regions")

    def spans(lib, n, count, length):
        """Properties of a drawn mask, which are the same whatever is drawn."""
        if lib is torch:
            return [count * length] * 5, True
        m = tamis.masks.random_spans([5, n], count, length, overlap=False)
        lengths = [tamis.masks.to_runs(row).lengths.tolist() for row in m]
        return m.sum(-1).tolist(), all(each % length == 0 for row in lengths for each in row)

    def blocks(lib, size, block):
        if lib is torch:
            return [block[0] * block[1]] * 4, [block[0]] * 4, [block[1]] * 4
        m = tamis.masks.random_blocks([4, *size], 1, block)
        return m.sum((1, 2)).tolist(), m.any(2).sum(1).tolist(), m.any(1).sum(1).tolist()

    for i in range(20):
        length, count = int(rng.randint(1, 6)), int(rng.randint(0, 6))
        check("random_spans", length * count + int(rng.randint(0, 20)), count, length, call=spans)
        block = [int(b) for b in rng.randint(1, 6, 2)]
        check("random_blocks", [b + int(rng.randint(0, 5)) for b in block], block, call=blocks)
