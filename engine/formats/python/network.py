#!/usr/bin/env python3
"""A network of Lambda Studio in PyTorch: builds it, loads its weights and classifies images.

    python model.py image.png            the most probable classes of an image
    python model.py --help               other options

    from model import load
    network, description = load("model.safetensors")
    logits = network(images)             # [b, classes] of normalised images [b, channels, H, W]

A network that predicts tokens is only loaded: network(tokens) gives logits [b, n, vocabulary] of
tokens [b, 1, 1, n].

The weights lie beside this file, under the same name. They describe themselves: "graph" in their
metadata says how the network is computed, "input" how an image becomes its input. So this one
file serves every network of Lambda Studio. It needs torch and safetensors; formats other than PNG
need Pillow too.

All maps are [b, channels, height, width]. Names of modules are those of Lambda Studio, so that a
state_dict goes back and forth: safetensors.torch.save_file(network.state_dict(), path, metadata).
n counts queries and m context positions, both row by row over the map.
"""

import argparse
import array
import json
import math
import pathlib
import struct
import sys
import zlib

import torch
import torch.nn.functional as F
from safetensors import safe_open
from torch import nn

ACTIVATIONS = {
    "relu": F.relu,
    "celu": lambda x: F.celu(x, alpha=0.075),
    "gelu": F.gelu,  # The exact form with erf, not the approximation by tanh.
    "silu": F.silu,
    "relu6": F.relu6,
}


class Norm(nn.BatchNorm2d):
    """A batch norm. With statistics "batch" it normalises by those of the present batch even in
    evaluation, so that the result of an image depends on the images beside it."""

    def __init__(self, channels, statistics):
        super().__init__(channels)
        self.statistics = statistics

    def forward(self, x):
        if self.statistics == "batch":
            return F.batch_norm(x, None, None, self.weight, self.bias, True, 0.0, self.eps)
        return super().forward(x)


class Activation(nn.Module):
    """One of the functions above."""

    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, x):
        return ACTIVATIONS[self.name](x)


class Pool(nn.Module):
    """Pooling with stride 2. A window of three positions has a border of zeros, which a mean
    counts; one of two positions is cut off at an odd border."""

    def __init__(self, pooling, window):
        super().__init__()
        self.pooling, self.window = pooling, window

    def forward(self, x):
        wide = self.window == 3
        if self.pooling == "max":
            return F.max_pool2d(x, self.window, 2, padding=1 if wide else 0, ceil_mode=not wide)
        if wide:
            return F.avg_pool2d(x, 3, stride=2, padding=1)
        return F.avg_pool2d(x, 2, 2, ceil_mode=True, count_include_pad=False)


class Sum(nn.Module):
    """A residual branch plus its shortcut. In training the branch of an image is skipped with the
    probability of stochastic depth."""

    def __init__(self, stochastic_depth):
        super().__init__()
        self.stochastic_depth = stochastic_depth

    def forward(self, shortcut, branch):
        if self.training and self.stochastic_depth > 0:
            kept = 1 - self.stochastic_depth
            branch = branch * branch.new_empty(len(branch), 1, 1, 1).bernoulli_(kept) / kept
        return branch + shortcut


class Features(nn.Module):
    """One number for each channel, [b, c]: the mean or the maximum over the map."""

    def __init__(self, pooling, dropout):
        super().__init__()
        self.pooling, self.dropout = pooling, dropout

    def forward(self, x):
        x = x.amax((2, 3)) if self.pooling == "max" else x.mean((2, 3))
        return F.dropout(x, self.dropout, self.training)


class Linear(nn.Linear):
    """A linear layer of features, or of each position of a map, times a constant."""

    def __init__(self, inputs, outputs, bias, scale, at_positions):
        super().__init__(inputs, outputs, bias=bias)
        self.scale, self.at_positions = scale, at_positions

    def forward(self, x):
        return super().forward(pixels(x) if self.at_positions else x) * self.scale


def pointwise(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 1, bias=False)


def pixels(x):
    """A map [b, c, H, W] as [b, H W, c]."""
    return x.flatten(2).transpose(1, 2)


def from_pixels(x, height, width):
    """[b, H W, c] as a map [b, c, H, W]."""
    return x.transpose(1, 2).unflatten(2, (height, width))


def later(n):
    """The pairs [n, m] of bool of which m is after n, which a causal layer hides."""
    return torch.ones(n, n, dtype=torch.bool).triu(1)


# ---- sequences: maps of tokens, row by row ----


class Embedding(nn.Embedding):
    """A learned vector for each token: tokens [b, 1, H, W] to a map [b, d, H, W]."""

    def forward(self, tokens):
        return from_pixels(super().forward(tokens.flatten(1)), *tokens.shape[2:])


class LayerNorm(nn.LayerNorm):
    """A norm over the channels of each position."""

    def forward(self, x):
        return from_pixels(super().forward(pixels(x)), *x.shape[2:])


class Mlp(nn.Module):
    """The channel mixing of a sequence block: two linear layers at each position."""

    def __init__(self, channels, hidden, activation):
        super().__init__()
        self.expand = nn.Linear(channels, hidden)
        self.project = nn.Linear(hidden, channels)
        self.activation = Activation(activation)

    def forward(self, x):
        y = self.project(self.activation(self.expand(pixels(x))))
        return from_pixels(y, *x.shape[2:])


class RwkvChannelMixing(nn.Module):
    """The channel mixing of RWKV-4 (Peng et al., 2023): gated squares of each position mixed with
    the one before it."""

    def __init__(self, channels, hidden):
        super().__init__()
        self.time_mix_k = nn.Parameter(torch.full((channels,), 0.5))
        self.time_mix_r = nn.Parameter(torch.full((channels,), 0.5))
        self.key = nn.Linear(channels, hidden, bias=False)
        self.receptance = nn.Linear(channels, channels, bias=False)
        self.value = nn.Linear(hidden, channels, bias=False)

    def forward(self, x):
        tokens = pixels(x)
        before = F.pad(tokens[:, :-1], (0, 0, 1, 0))
        squares = F.relu(self.key(torch.lerp(before, tokens, self.time_mix_k))).square()
        gate = self.receptance(torch.lerp(before, tokens, self.time_mix_r)).sigmoid()
        return from_pixels(gate * self.value(squares), *x.shape[2:])


def to_heads(x, heads):
    """A map [b, d, H, W] as [b, h, H W, d / h]: the channels of a head are adjacent."""
    return pixels(x).unflatten(2, (heads, -1)).transpose(1, 2)


def from_heads(x, height, width):
    """[b, h, H W, d / h] as a map [b, d, H, W]."""
    return from_pixels(x.transpose(1, 2).flatten(2), height, width)


def offsets(size):
    """m - n for the places n and m on a line. [size, size]"""
    place = torch.arange(size)
    return place[None, :] - place[:, None]


# ---- the lambda layer ----


class PositionEmbedding(nn.Module):
    """The position embeddings e_nm of a lambda layer.

    table [rows, t u, k], where t is the number of heads that have embeddings of their own (h in a
    multi-head layer, otherwise 1) and u the intra-depth. Rows of a table, for a map of H x W:
      relative, global   (2H-1)(2W-1): row (dy + H - 1)(2W - 1) + dx + W - 1 is the embedding of the
                         offset (dy, dx) from the query to the context position
      relative, local    r^2: row (dy + r // 2) r + dx + r // 2; outside the window it is 0
      absolute           (HW)^2: row n HW + m
    """

    def __init__(self, mixer, height, width):
        super().__init__()
        self.kind, self.scope = mixer["embedding"], mixer["scope"]
        self.u, self.height, self.width = mixer["u"], height, width
        heads = mixer["h"] if mixer["multiHead"] else 1
        if self.kind == "absolute":
            rows = (height * width) ** 2
        elif self.scope > 0:
            rows = self.scope**2
        else:
            rows = (2 * height - 1) * (2 * width - 1)
        self.table = nn.Parameter(torch.randn(rows, heads * self.u, mixer["k"]))

    def of_head(self, head):
        """The part [rows, u, k] of the table that belongs to a head."""
        return self.table[:, head * self.u : (head + 1) * self.u]

    def pairs(self, head, height, width):
        """e_nm [n, m, u, k] of a head on a map of that size."""
        table, n = self.of_head(head), height * width
        if self.kind == "absolute":
            return table.unflatten(0, (n, n))
        dy = offsets(height)[:, None, :, None].expand(height, width, height, width).reshape(n, n)
        dx = offsets(width)[None, :, None, :].expand(height, width, height, width).reshape(n, n)
        if self.scope == 0:
            return table[(dy + height - 1) * (2 * width - 1) + dx + width - 1]
        reach = self.scope // 2
        inside = (dy.abs() <= reach) & (dx.abs() <= reach)
        rows = torch.where(inside, (dy + reach) * self.scope + dx + reach, 0)
        return table[rows] * inside[:, :, None, None].to(table)


class LambdaLayer(nn.Module):
    """y_n = lambda_n^T q_n with lambda_n = sum_m (kbar_m + e_nm) v_m^T (Bello, ICLR 2021).

    Channels of the projections, slowest index first: queries (h, k); keys (u, k) and values (u, v),
    in a multi-head layer (h, u, k) and (h, u, v). The output is (h, v) with v = d / h. It has no
    stride: average pooling follows where a block has one.
    """

    def __init__(self, mixer, inputs, outputs, height, width, statistics, shared=None):
        super().__init__()
        self.mixer, self.height, self.width = mixer, height, width
        h, k, u = mixer["h"], mixer["k"], mixer["u"]
        v, own = outputs // h, h if mixer["multiHead"] else 1
        self.queries = pointwise(inputs, h * k)
        self.keys = pointwise(inputs, own * u * k) if mixer["content"] else None
        self.values = pointwise(inputs, own * u * v)
        of_channels = mixer["normAxes"] == "channels"
        self.queryNorm = self.valueNorm = None
        if mixer["normalizeQueries"]:
            self.queryNorm = Norm(h * k if of_channels else k, statistics)
        if mixer["normalizeValues"]:
            self.valueNorm = Norm(own * u * v if of_channels else height * width, statistics)
        self.embedding = None
        self.shared = (shared,)  # A tuple hides it from the state_dict: the network has it already.
        if mixer["embedding"] != "none" and shared is None:
            self.embedding = PositionEmbedding(mixer, height, width)

    def seen(self, n):
        """Which context each query sees, [n, m] of bool; None = all of it."""
        if self.mixer["mask"] == "causal":
            return ~later(n)
        if self.mixer["mask"] == "custom":
            rows = self.mixer["maskRows"].split()
            return torch.tensor([[c == "1" for c in row] for row in rows]).expand(n, n)
        return None

    def normalized_queries(self, x):
        """[b, n, h, k]"""
        q, of_channels = self.queries(x), self.mixer["normAxes"] == "channels"
        if self.queryNorm and of_channels:
            q = self.queryNorm(q)
        q = pixels(q).unflatten(2, (self.mixer["h"], self.mixer["k"]))
        if self.queryNorm and not of_channels:  # Each depth k has statistics over (b, n, h).
            q = self.queryNorm(q.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return q.softmax(3) if self.mixer["softmaxQueries"] else q

    def normalized_values(self, x):
        """[b, m, c]"""
        v = self.values(x)
        if self.valueNorm is None:
            return pixels(v)
        if self.mixer["normAxes"] == "channels":
            return pixels(self.valueNorm(v))
        return self.valueNorm(pixels(v)[..., None])[..., 0]  # Each position has statistics.

    def normalized_keys(self, x, seen):
        """[b, m, c]; with a mask [b, n, m, c], because each query has a context of its own."""
        keys, kind = pixels(self.keys(x)), self.mixer["keyNormalization"]
        if seen is not None:
            keys, seen = keys[:, None], seen[None, :, :, None].to(keys.device)
        if kind == "softmax":
            if seen is None:
                return keys.softmax(1)
            within = seen | ~seen.any(2, keepdim=True)  # A query without context gets zeros.
            return keys.masked_fill(~within, -math.inf).softmax(2).masked_fill(~seen, 0)
        keys = keys if seen is None else keys.masked_fill(~seen, 0)
        if kind == "l2":
            length = keys.double().square().sum(-2, keepdim=True).sqrt()
            keys = (keys.double() / length.where(length > 0, 1)).to(keys.dtype)
        return keys

    def position_part(self, q, v, head, height, width, seen):
        """sum_m (q_n . e_nm) v_m, [b, n, h, v]"""
        embedding = self.embedding or self.shared[0]
        b, n, u = q.shape[0], height * width, self.mixer["u"]
        if self.mixer["scope"] > 0 and seen is None:
            # A local scope is a convolution of the values by the embeddings (section 3.4).
            r = self.mixer["scope"]
            maps = v.permute(0, 3, 2, 1).reshape(b * v.shape[3], u, height, width)
            filters = embedding.of_head(head).permute(2, 1, 0).unflatten(2, (r, r))
            lambdas = F.conv2d(maps, filters, padding=r // 2).reshape(b, v.shape[3], -1, n)
            return torch.einsum("bnhk,bvkn->bnhv", q, lambdas)
        e = embedding.pairs(head, height, width)
        if seen is not None:
            e = e * seen[:, :, None, None].to(e)
        return torch.einsum("bnhmu,bmuv->bnhv", torch.einsum("bnhk,nmuk->bnhmu", q, e), v)

    def forward(self, x):
        b, d, height, width = x.shape
        if self.mixer["tokenOrder"] == "channelRuns":
            # A token is a run of d values in channel-major order, not a pixel.
            x = x.contiguous().view(b, height, width, d).permute(0, 3, 1, 2)
        seen, u = self.seen(height * width), self.mixer["u"]
        q, v = self.normalized_queries(x), self.normalized_values(x)
        own = self.mixer["h"] if self.mixer["multiHead"] else 1
        queries, values = q.chunk(own, 2), v.chunk(own, 2)
        keys = self.normalized_keys(x, seen).chunk(own, -1) if self.keys else [None] * own
        heads = []
        for head in range(own):
            q, v, y = queries[head], values[head].unflatten(2, (u, -1)), 0
            if self.mixer["embedding"] != "none":
                y = self.position_part(q, v, head, height, width, seen)
            if self.keys:
                key = keys[head].unflatten(-1, (u, -1))
                if seen is None:
                    y = y + torch.einsum("bnhk,bkv->bnhv", q, torch.einsum("bmuk,bmuv->bkv", key, v))
                else:
                    weights = torch.einsum("bnhk,bnmuk->bnhmu", q, key)
                    y = y + torch.einsum("bnhmu,bmuv->bnhv", weights, v)
            heads.append(y)
        return from_pixels(torch.cat(heads, 2).flatten(2), height, width)


# ---- its relatives ----


class DepthwiseConvolution(nn.Module):
    """A convolution of each channel; then a 1x1 convolution where the depths differ. A causal
    window has one row, which ends with the position itself."""

    def __init__(self, mixer, inputs, outputs, stride):
        super().__init__()
        kernel, self.causal = mixer["kernelSize"], mixer.get("causal", False)
        self.filters = nn.Parameter(torch.randn(inputs, 1, 1 if self.causal else kernel, kernel))
        self.stride = stride
        self.pointwise = pointwise(inputs, outputs) if inputs != outputs else None

    def forward(self, x):
        groups, _, _, kernel = self.filters.shape
        if self.causal:
            x = F.pad(x, (kernel - 1, 0))
        padding = 0 if self.causal else kernel // 2
        y = F.conv2d(x, self.filters, None, self.stride, padding, groups=groups)
        return self.pointwise(y) if self.pointwise else y


class Attention(nn.Module):
    """What attention layers have in common: queries, keys and values of h heads, d / h each."""

    def __init__(self, heads, inputs, outputs):
        super().__init__()
        self.heads, self.depth = heads, outputs // heads
        self.queries = pointwise(inputs, outputs)
        self.keys = pointwise(inputs, outputs)
        self.values = pointwise(inputs, outputs)

    def project(self, x):
        return [to_heads(f(x), self.heads) for f in (self.queries, self.keys, self.values)]


def line_embeddings(table):
    """Embeddings of offsets, table [2 size - 1, ..], by place of query and context."""
    size = (table.shape[0] + 1) // 2
    return table[offsets(size) + size - 1]


class SelfAttention(Attention):
    """Global self-attention with relative positions in two dimensions (Bello et al., 2019)."""

    def __init__(self, mixer, inputs, outputs, height, width):
        super().__init__(mixer["h"], inputs, outputs)
        self.causal = mixer.get("causal", False)
        self.rowTable = self.columnTable = None
        if mixer["relative"]:
            self.rowTable = nn.Parameter(torch.randn(2 * height - 1, self.depth))
            self.columnTable = nn.Parameter(torch.randn(2 * width - 1, self.depth))

    def forward(self, x):
        height, width = x.shape[2:]
        q, k, v = self.project(x)
        q = q / math.sqrt(self.depth)
        scores = q @ k.transpose(2, 3)
        if self.rowTable is not None:
            placed = q.unflatten(2, (height, width))
            rows = torch.einsum("bhxyc,xuc->bhxyu", placed, line_embeddings(self.rowTable))
            columns = torch.einsum("bhxyc,yvc->bhxyv", placed, line_embeddings(self.columnTable))
            scores = scores + (rows[..., None] + columns[..., None, :]).flatten(4).flatten(2, 3)
        if self.causal:
            scores = scores.masked_fill(later(height * width).to(x.device), -math.inf)
        return from_heads(scores.softmax(3) @ v, height, width)


class LocalAttention(Attention):
    """Self-attention within r x r windows (Ramachandran et al., 2019). The first half of a head's
    channels meets the embedding of the row offset, the second that of the column offset. All pairs
    of positions are computed, and those outside the window get no weight."""

    def __init__(self, mixer, inputs, outputs):
        super().__init__(mixer["h"], inputs, outputs)
        self.scope = mixer["scope"]
        self.rowTable = nn.Parameter(torch.randn(self.scope, self.heads, self.depth // 2))
        self.columnTable = nn.Parameter(torch.randn(self.scope, self.heads, self.depth // 2))

    def line(self, table, size):
        """Embeddings [size, size, h, c], 0 where places are too far apart, and where they are."""
        offset, reach = offsets(size), self.scope // 2
        far = offset.abs() > reach
        near = table[torch.where(far, 0, offset + reach)]
        return near * (~far)[:, :, None, None].to(near), far

    def forward(self, x):
        height, width = x.shape[2:]
        q, k, v = self.project(x)
        placed, half = q.unflatten(2, (height, width)), self.depth // 2
        row, far_row = self.line(self.rowTable, height)
        column, far_column = self.line(self.columnTable, width)
        rows = torch.einsum("bhxyc,xuhc->bhxyu", placed[..., :half], row)
        columns = torch.einsum("bhxyc,yvhc->bhxyv", placed[..., half:], column)
        logits = (rows[..., None] + columns[..., None, :]).flatten(4).flatten(2, 3)
        far = far_row[:, None, :, None] | far_column[None, :, None, :]
        far = far.flatten(2).flatten(0, 1).to(x.device)
        scores = (q @ k.transpose(2, 3) + logits).masked_fill(far, -math.inf)
        return from_heads(scores.softmax(3) @ v, height, width)


class LineAttention(Attention):
    """Self-attention along one axis of the map."""

    def __init__(self, mixer, inputs, outputs, size, along_rows):
        super().__init__(mixer["h"], inputs, outputs)
        self.along_rows, self.table = along_rows, None
        if mixer["relative"]:
            self.table = nn.Parameter(torch.randn(2 * size - 1, self.depth))

    def forward(self, x):
        height, width = x.shape[2:]
        lines = [each.unflatten(2, (height, width)) for each in self.project(x)]
        q, k, v = lines if self.along_rows else [each.transpose(2, 3) for each in lines]
        q = q / math.sqrt(self.depth)
        scores = q @ k.transpose(3, 4)
        if self.table is not None:
            scores = scores + torch.einsum("bhlyc,yvc->bhlyv", q, line_embeddings(self.table))
        y = scores.softmax(4) @ v
        y = y if self.along_rows else y.transpose(2, 3)
        return from_heads(y.flatten(2, 3), height, width)


class AxialAttention(nn.Module):
    """Attention along rows, then along columns (Ho et al., 2019)."""

    def __init__(self, mixer, inputs, outputs, height, width):
        super().__init__()
        self.rows = LineAttention(mixer, inputs, outputs, width, along_rows=True)
        self.columns = LineAttention(mixer, outputs, outputs, height, along_rows=False)

    def forward(self, x):
        return self.columns(self.rows(x))


class LinearAttention(Attention):
    """Attention by a feature map instead of a softmax over pairs (Shen et al., 2018;
    Katharopoulos et al., 2020)."""

    def __init__(self, mixer, inputs, outputs):
        super().__init__(mixer["h"], inputs, outputs)
        self.map, self.causal = mixer["featureMap"], mixer.get("causal", False)

    def causal_weights(self, q, k):
        """The weights [b, h, n, m]; those of softmax are made from keys [b, h, n, m, c]."""
        hidden = later(k.shape[2]).to(k.device)
        if self.map == "softmax":
            seen = k[:, :, None].masked_fill(hidden[:, :, None], -math.inf).softmax(3)
            return (seen @ q[..., None])[..., 0]
        products = (q @ k.transpose(2, 3)).masked_fill(hidden, 0)
        return products / products.sum(3, keepdim=True)

    def forward(self, x):
        q, k, v = self.project(x)
        if self.map == "softmax":
            q = q.softmax(3)
        else:  # elu(x) + 1, without its rounding near -1.
            q, k = (each.clamp_max(0).exp() + F.relu(each) for each in (q, k))
        if self.causal:
            return from_heads(self.causal_weights(q, k) @ v, *x.shape[2:])
        if self.map == "softmax":
            k = k.softmax(2)
        y = q @ (k.transpose(2, 3) @ v)
        if self.map == "elu":
            y = y / (q @ k.sum(2)[..., None])
        return from_heads(y, *x.shape[2:])


class NonLocal(nn.Module):
    """The non-local block (Wang et al., 2018): attention of one head with d / 2 channels, added to
    the input where the depths agree."""

    def __init__(self, mixer, inputs, outputs):
        super().__init__()
        inner, self.pairwise = max(1, outputs // 2), mixer["pairwise"]
        self.queries = pointwise(inputs, inner)
        self.keys = pointwise(inputs, inner)
        self.values = pointwise(inputs, inner)
        self.output = pointwise(inner, outputs)
        self.adds = inputs == outputs

    def forward(self, x):
        scores = pixels(self.queries(x)) @ pixels(self.keys(x)).transpose(1, 2)
        if self.pairwise == "embeddedGaussian":
            weights = scores.softmax(2)
        else:
            weights = scores / scores.shape[2]
        z = self.output(from_heads((weights @ pixels(self.values(x)))[:, None], *x.shape[2:]))
        return x + z if self.adds else z


class SqueezeExcitation(nn.Module):
    """Every channel is scaled by a weight made from the means of all channels (Hu et al., 2018)."""

    def __init__(self, channels, ratio):
        super().__init__()
        self.squeeze = nn.Conv2d(channels, max(1, channels // ratio), 1)
        self.excite = nn.Conv2d(max(1, channels // ratio), channels, 1)

    def forward(self, x):
        means = x.mean((2, 3), keepdim=True)
        return x * self.excite(F.relu(self.squeeze(means))).sigmoid()


class ChannelAttention(nn.Module):
    """Squeeze-and-excitation as a mixer; then a 1x1 convolution where the depths differ."""

    def __init__(self, mixer, inputs, outputs):
        super().__init__()
        self.gate = SqueezeExcitation(inputs, mixer["ratio"])
        self.pointwise = pointwise(inputs, outputs) if inputs != outputs else None

    def forward(self, x):
        y = self.gate(x)
        return self.pointwise(y) if self.pointwise else y


class SpatialAttention(nn.Module):
    """Every position is scaled by one weight (Woo et al., 2018). The filter's two channels are the
    mean and the maximum, in this order."""

    def __init__(self, mixer, inputs, outputs):
        super().__init__()
        kernel = mixer["kernelSize"]
        self.gate = nn.Conv2d(2, 1, kernel, padding=kernel // 2)
        self.pointwise = pointwise(inputs, outputs) if inputs != outputs else None

    def forward(self, x):
        pooled = torch.cat([x.mean(1, keepdim=True), x.amax(1, keepdim=True)], 1)
        y = x * self.gate(pooled).sigmoid()
        return self.pointwise(y) if self.pointwise else y


class RwkvTimeMixing(nn.Module):
    """The time mixing of RWKV-4 (Peng et al., 2023): each channel has a mean over the positions so
    far, row by row, whose weights fall off by exp(-exp(time_decay)) from one to the next."""

    def __init__(self, inputs, outputs):
        super().__init__()
        for name in ("time_decay", "time_first"):
            self.register_parameter(name, nn.Parameter(torch.zeros(outputs)))
        for name in ("time_mix_k", "time_mix_v", "time_mix_r"):
            self.register_parameter(name, nn.Parameter(torch.full((inputs,), 0.5)))
        self.key = nn.Linear(inputs, outputs, bias=False)
        self.value = nn.Linear(inputs, outputs, bias=False)
        self.receptance = nn.Linear(inputs, outputs, bias=False)
        self.output = nn.Linear(outputs, outputs, bias=False)

    def wkv(self, k, v):
        """The means [b, n, d]. The sums are num and den times exp(most), so that keys of any size
        do not overflow."""
        rate = self.time_decay.exp()
        num = den = torch.zeros_like(k[:, 0])
        most = torch.full_like(k[:, 0], -math.inf)
        means = []
        for key, value in zip(k.unbind(1), v.unbind(1)):
            greater = torch.maximum(most, key + self.time_first)
            past, present = (most - greater).exp(), (key + self.time_first - greater).exp()
            means.append((past * num + present * value) / (past * den + present))
            greater = torch.maximum(most - rate, key)
            past, present = (most - rate - greater).exp(), (key - greater).exp()
            num, den, most = past * num + present * value, past * den + present, greater
        return torch.stack(means, 1)

    def forward(self, x):
        tokens, (height, width) = pixels(x), x.shape[2:]
        before = F.pad(tokens, (0, 0, 1, -1))
        k = self.key(torch.lerp(before, tokens, self.time_mix_k))
        v = self.value(torch.lerp(before, tokens, self.time_mix_v))
        r = self.receptance(torch.lerp(before, tokens, self.time_mix_r))
        y = self.output(r.sigmoid() * self.wkv(k, v))
        return y.transpose(1, 2).unflatten(2, (height, width))


# ---- the network ----


def make_mixer(node, statistics, shared):
    """The layer of a mixer."""
    mixer, (inputs, height, width), outputs = node["mixer"], node["input"], node["output"][0]
    kind = mixer["kind"]
    if kind == "convolution":
        size = mixer["kernelSize"]
        return nn.Conv2d(inputs, outputs, size, node["stride"], size // 2, groups=mixer["groups"],
                         bias=False)
    if kind == "lambda":
        return LambdaLayer(mixer, inputs, outputs, height, width, statistics, shared)
    if kind == "depthwiseConvolution":
        return DepthwiseConvolution(mixer, inputs, outputs, node["stride"])
    if kind == "selfAttention":
        return SelfAttention(mixer, inputs, outputs, height, width)
    if kind == "localAttention":
        return LocalAttention(mixer, inputs, outputs)
    if kind == "axialAttention":
        return AxialAttention(mixer, inputs, outputs, height, width)
    if kind == "linearAttention":
        return LinearAttention(mixer, inputs, outputs)
    if kind == "nonLocal":
        return NonLocal(mixer, inputs, outputs)
    if kind == "squeezeExcitation":
        return ChannelAttention(mixer, inputs, outputs)
    if kind == "spatialAttention":
        return SpatialAttention(mixer, inputs, outputs)
    if kind == "rwkv":
        return RwkvTimeMixing(inputs, outputs)
    sys.exit(f'This file does not know the layer "{kind}": export the network again.')


class Network(nn.Module):
    """The network that a "graph" of Lambda Studio describes: a module for each of its nodes."""

    def __init__(self, graph):
        super().__init__()
        self.statistics = graph["normStatistics"]
        self.takes_tokens = graph["nodes"][0]["kind"] == "embedding"
        self.steps = [(self.add(node), node["inputs"]) for node in graph["nodes"]]
        last_use = {i: step for step, (_, inputs) in enumerate(self.steps) for i in inputs}
        self.released = [[i for i in last_use if last_use[i] == step]
                         for step in range(len(self.steps))]

    def add(self, node):
        """Adds a node's module and returns its name, with which those of its parameters begin."""
        kind, layer = node["kind"], node["layer"]
        inputs, outputs = node["input"][0], node["output"][0]
        if kind == "convolution":
            return self.place(f"{layer}.conv", nn.Conv2d(
                inputs, outputs, node["kernel"], node["stride"], node["padding"], bias=False))
        if kind == "norm":
            return self.place(f"{layer}.norm", Norm(outputs, self.statistics))
        if kind == "activation":
            return self.place(f"{layer}.activation", Activation(node["activation"]))
        if kind == "mixer":
            part = "conv" if node["mixer"]["kind"] == "convolution" else "layer"
            shared = self.shared_table(node)
            return self.place(f"{layer}.{part}", make_mixer(node, self.statistics, shared))
        if kind == "pool":
            return self.place(f"{layer}.pool", Pool(node["pooling"], node["window"]))
        if kind == "squeeze":
            return self.place(layer, SqueezeExcitation(inputs, node["ratio"]))
        if kind == "sum":
            return self.place(f"{layer}.sum", Sum(node["stochasticDepth"]))
        if kind == "features":
            return self.place("features", Features(node["pooling"], node["dropout"]))
        if kind == "linear":
            return self.place(layer, Linear(inputs, outputs, node["bias"], node["scale"],
                                            node.get("atPositions", False)))
        if kind == "embedding":
            return self.place(layer, Embedding(node["vocabulary"], outputs))
        if kind == "layerNorm":
            return self.place(layer, LayerNorm(outputs))
        if kind == "channelMixing":
            if node["channelMixing"] == "rwkv":
                return self.place(layer, RwkvChannelMixing(outputs, node["hidden"]))
            return self.place(layer, Mlp(outputs, node["hidden"], node["activation"]))
        sys.exit(f'This file does not know the node "{kind}": export the network again.')

    def place(self, name, module):
        """Adds a module under a dotted name."""
        *path, last = name.split(".")
        parent = self
        for part in path:
            if part not in dict(parent.named_children()):
                parent.add_module(part, nn.Module())
            parent = parent.get_submodule(part)
        parent.add_module(last, module)
        return name

    def shared_table(self, node):
        """Layers that name the same table share its embeddings; the network has the table."""
        name = node["mixer"].get("sharedEmbeddings")
        if not name or node["mixer"]["embedding"] == "none":
            return None
        name = f"embeddings-{name}"
        if name not in dict(self.named_children()):
            self.add_module(name, PositionEmbedding(node["mixer"], *node["input"][1:]))
        return self.get_submodule(name)

    def forward(self, x):
        """Logits [b, classes] of normalised images [b, channels, height, width], or [b, n,
        vocabulary] of tokens [b, 1, 1, n]."""
        results = {-1: x}
        for i, (name, inputs) in enumerate(self.steps):
            results[i] = self.get_submodule(name)(*(results[j] for j in inputs))
            for j in self.released[i]:
                del results[j]
        return results[i]


def load(path, device="cpu"):
    """The network of a file of weights, ready to classify, and what the file says of itself: a dict
    with "input", "classes", "training", "scores" and "license", and "numbers" of a network that
    predicts numbers: an output means mean + deviation * output."""
    with safe_open(path, "pt", device=device) as file:
        metadata = file.metadata()
        weights = {name: file.get_tensor(name) for name in file.keys()}
    if "graph" not in metadata:
        sys.exit(f"{path}: it does not say how its network is computed: export it again.")
    network = Network(json.loads(metadata["graph"])).to(device)
    network.load_state_dict(weights)
    description = {name: json.loads(metadata[name])
                   for name in ("input", "classes", "numbers", "training", "scores")
                   if name in metadata}
    description["license"] = metadata.get("license", "")
    return network.eval(), description


# ---- images ----


def read_png(path):
    """Width, height and RGB bytes of a PNG file with 8 or 16 bits per channel, without Pillow."""
    data = pathlib.Path(path).read_bytes()
    parts, palette, kinds, at = b"", b"", set(), 8
    while data[:8] == b"\x89PNG\r\n\x1a\n" and at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body, at = data[at + 8 : at + 8 + length], at + 12 + length
        kinds.add(kind)
        if kind == b"IHDR":
            width, height, bits, color, _, _, interlaced = struct.unpack(">IIBBBBB", body)
        elif kind == b"PLTE":
            palette = body
        elif kind == b"IDAT":
            parts += body
    if not parts or bits not in (8, 16) or interlaced or kinds & {b"tRNS", b"eXIf"}:
        sys.exit(f"{path}: only plain PNG files are read without Pillow: pip install pillow")
    channels = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[color]
    step = channels * bits // 8
    raw, line = zlib.decompress(parts), width * step
    rows, above = [], bytearray(line)
    for y in range(height):
        method = raw[y * (line + 1)]
        row = bytearray(raw[y * (line + 1) + 1 : (y + 1) * (line + 1)])
        for i in range(line if method else 0):
            left = row[i - step] if i >= step else 0
            corner = above[i - step] if i >= step else 0
            if method == 4:
                guess = left + above[i] - corner
                distances = abs(guess - left), abs(guess - above[i]), abs(guess - corner)
                added = (left, above[i], corner)[distances.index(min(distances))]
            else:
                added = (0, left, above[i], (left + above[i]) // 2)[method]
            row[i] = (row[i] + added) & 255
        rows.append(row)
        above = row
    values = bytearray().join(rows)[:: bits // 8]  # Of 16 bits the high byte.
    planes = [values[c::channels] for c in range(channels)]
    if color == 3:
        planes = [bytes(palette[3 * i + c] for i in values) for c in range(3)]
    elif channels in (2, 4):  # On white.
        alpha = planes.pop()
        planes = [bytes((v * a + 255 * (255 - a) + 127) // 255 for v, a in zip(plane, alpha))
                  for plane in planes]
    rgb = bytearray(3 * width * height)
    for c in range(3):
        rgb[c::3] = planes[c if len(planes) == 3 else 0]
    return width, height, rgb


def read_picture(path):
    """Width, height and RGB bytes of a picture, read as in training: 8 bits per channel, of 16 bits
    the high byte; turned by the orientation in EXIF; transparent pixels on white."""
    try:
        from PIL import Image, ImageOps
    except ImportError:
        return read_png(path)
    image = ImageOps.exif_transpose(Image.open(path))
    if image.mode.startswith("I"):  # Grey of 16 bits, which Pillow would clip at 255.
        clear = image.info.get("transparency")
        grey = array.array("i", image.convert("I").tobytes())
        image = Image.frombytes("L", image.size, bytes(255 if v == clear else v >> 8 for v in grey))
    if "A" in image.getbands() or "transparency" in image.info:
        image = image.convert("RGBA")
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image)
    return *image.size, bytearray(image.convert("RGB").tobytes())


def read_image(path):
    """The pixels [3, height, width] of a picture, 0..255."""
    width, height, rgb = read_picture(path)
    return torch.frombuffer(rgb, dtype=torch.uint8).view(height, width, 3).permute(2, 0, 1)


def prepare(image, description):
    """An image [3, H, W] of 0..255 as the network's input [channels, height, width]: scaled by a
    triangle filter, so that it covers the input, cropped to the middle, and normalised."""
    wanted = description["input"]
    height, width = wanted["height"], wanted["width"]
    if wanted["channels"] == 1:  # The luma of ITU-R BT.601.
        weights = torch.tensor([0.299, 0.587, 0.114])[:, None, None]
        image = (image.float() * weights).sum(0, keepdim=True).round()
    h, w = image.shape[1:]
    if h * width > w * height:
        scaled = (h * width // w, width)
    else:
        scaled = (height, w * height // h)
    if scaled != (h, w):
        x = F.interpolate(image[None].float(), scaled, mode="bilinear", antialias=True)[0]
        image = (x + 0.5).floor().clamp(0, 255)
    top, left = (scaled[0] - height) // 2, (scaled[1] - width) // 2
    image = image[:, top : top + height, left : left + width].float() / 255
    mean, deviation = (torch.tensor(wanted[name])[:, None, None] for name in ("mean", "deviation"))
    return (image - mean) / deviation


def main():
    parser = argparse.ArgumentParser(description="Classifies images by a network of Lambda Studio.")
    parser.add_argument("images", nargs="+", help="PNG files; with Pillow also others")
    parser.add_argument("--weights", default=pathlib.Path(__file__).with_suffix(".safetensors"),
                        help="the file of weights (default: beside this file)")
    parser.add_argument("--top", type=int, default=5, help="how many classes (default: 5)")
    parser.add_argument("--json", action="store_true", help="all probabilities as JSON")
    arguments = parser.parse_args()
    network, description = load(arguments.weights)
    if network.takes_tokens:
        sys.exit(f"{arguments.weights}: this network predicts tokens: use load() in Python.")
    classes, numbers = description["classes"], description.get("numbers", [])
    results = []
    for path in arguments.images:
        try:
            image = read_image(path)
        except OSError as error:
            sys.exit(f"{path}: {error.strerror or error}")
        with torch.no_grad():
            logits = network(prepare(image, description)[None])[0]
        if numbers:
            values = {number["name"]: number["mean"] + number["deviation"] * output
                      for number, output in zip(numbers, logits.tolist())}
            results.append({"image": path, "numbers": values})
            if not arguments.json:
                print(path, *(f"  {name} {value:.6g}" for name, value in values.items()), sep="\n")
            continue
        probabilities = logits.softmax(0)
        results.append({"image": path, "probabilities": probabilities.tolist()})
        if arguments.json:
            continue
        top = probabilities.topk(min(arguments.top, len(classes)))
        print(path)
        for probability, index in zip(top.values.tolist(), top.indices.tolist()):
            print(f"  {100 * probability:6.2f} %  {classes[index]}")
    if arguments.json:
        print(json.dumps({"classes": classes, "images": results}))


if __name__ == "__main__":
    main()
