"""ResNet-50 for small images in plain PyTorch, with convolutions or lambda layers.

The networks of the presets tudelft-conv and tudelft-lambda as one would write them in Python: a 7x7
stem of stride 2, a 3x3 max pool, and bottlenecks of 3, 4, 6 and 3 blocks on maps of 8, 4, 2 and 1
pixels. Modules have the names that Lambda Studio gives them, so that its weights load as they are.
"""

import torch
from torch import nn
from torch.nn import functional

WIDTHS = (64, 128, 256, 512)
BLOCKS = (3, 4, 6, 3)
IMAGE_SIDE = 32
CLASSES = 10


class ConvolutionUnit(nn.Module):
    """Convolution without bias, batch norm, and ReLU if `activated`."""

    def __init__(self, channels_in, channels_out, kernel, stride=1, activated=True):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, kernel, stride, kernel // 2, bias=False)
        self.norm = nn.BatchNorm2d(channels_out)
        self.activated = activated

    def forward(self, x):
        y = self.norm(self.conv(x))
        return functional.relu(y) if self.activated else y


class RelativeEmbedding(nn.Module):
    """Learnt vectors e_nm = R[m - n] for all pairs of positions of a square map."""

    def __init__(self, side, query_depth):
        super().__init__()
        span = 2 * side - 1
        self.table = nn.Parameter(torch.randn(span * span, 1, query_depth))
        position = torch.arange(side * side)
        row, column = position // side, position % side
        down = row[None, :] - row[:, None] + side - 1
        right = column[None, :] - column[:, None] + side - 1
        self.register_buffer("rows", (down * span + right).flatten(), persistent=False)

    def forward(self):
        """The embeddings E [n, m, k]."""
        positions = int(self.rows.numel() ** 0.5)
        return self.table.index_select(0, self.rows).view(positions, positions, -1)


def einsum_core(queries, keys, values, embeddings):
    """y [b, n, h, v] by equations 1 and 2 of LambdaNetworks, lambdas first, as implementations ship it.

    queries [b, n, h, k]; keys [b, m, k] after their softmax; values [b, m, v]; embeddings [n, m, k].
    """
    content = torch.einsum("bmk,bmv->bkv", keys, values)
    position = torch.einsum("nmk,bmv->bnkv", embeddings, values)
    return torch.einsum("bnhk,bnkv->bnhv", queries, position + content[:, None])


def attention_order_core(queries, keys, values, embeddings):
    """The same, but queries are contracted with the embeddings first: no position lambdas are made."""
    b, n, h, k = queries.shape
    m, v = values.shape[1:]
    by_position = queries.transpose(0, 1).reshape(n, b * h, k)
    scores = torch.bmm(by_position, embeddings.transpose(1, 2))
    by_image = scores.view(n, b, h, m).transpose(0, 1).reshape(b, n * h, m)
    content = torch.bmm(keys.transpose(1, 2), values)
    y = torch.bmm(by_image, values) + torch.bmm(queries.reshape(b, n * h, k), content)
    return y.view(b, n, h, v)


CORES = {"einsum": einsum_core, "attention order": attention_order_core}


class LambdaLayer(nn.Module):
    """The lambda layer of global scope: 16-dimensional queries, 4 heads, relative embeddings."""

    QUERY_DEPTH = 16
    HEADS = 4

    def __init__(self, depth, side, core):
        super().__init__()
        value_depth = depth // self.HEADS
        query_channels = self.HEADS * self.QUERY_DEPTH
        self.queries = nn.Conv2d(depth, query_channels, 1, bias=False)
        self.keys = nn.Conv2d(depth, self.QUERY_DEPTH, 1, bias=False)
        self.values = nn.Conv2d(depth, value_depth, 1, bias=False)
        self.queryNorm = nn.BatchNorm2d(query_channels)
        self.valueNorm = nn.BatchNorm2d(value_depth)
        self.embedding = RelativeEmbedding(side, self.QUERY_DEPTH)
        self.core = core

    @staticmethod
    def pixels(x):
        """A map [b, c, H, W] as pixels [b, H W, c]."""
        return x.permute(0, 2, 3, 1).flatten(1, 2)

    def forward(self, x):
        b, _, height, width = x.shape
        queries = self.pixels(self.queryNorm(self.queries(x)))
        queries = queries.reshape(b, height * width, self.HEADS, self.QUERY_DEPTH)
        keys = self.pixels(self.keys(x)).softmax(1)
        values = self.pixels(self.valueNorm(self.values(x)))
        # Under autocast, the softmax and the embeddings, which are parameters, are float32.
        type_ = values.dtype
        y = self.core(queries, keys.to(type_), values, self.embedding().to(type_))
        return y.reshape(b, height, width, -1).permute(0, 3, 1, 2)


class LambdaUnit(nn.Module):
    """A lambda layer that replaces a convolution, with pooling for its stride, batch norm, ReLU."""

    def __init__(self, depth, side, stride, core):
        super().__init__()
        self.layer = LambdaLayer(depth, side, core)
        self.norm = nn.BatchNorm2d(depth)
        self.stride = stride

    def forward(self, x):
        y = self.layer(x)
        if self.stride == 2:
            y = functional.avg_pool2d(y, 3, stride=2, padding=1)
        return functional.relu(self.norm(y))


class Bottleneck(nn.Module):
    def __init__(self, channels_in, width, side, stride, core):
        super().__init__()
        self.reduce = ConvolutionUnit(channels_in, width, 1)
        if core is None:
            self.mixer = ConvolutionUnit(width, width, 3, stride)
        else:
            self.mixer = LambdaUnit(width, side, stride, core)
        self.expand = ConvolutionUnit(width, 4 * width, 1, activated=False)
        self.shortcut = None
        if stride != 1 or channels_in != 4 * width:
            self.shortcut = ConvolutionUnit(channels_in, 4 * width, 1, stride, activated=False)

    def forward(self, x):
        y = self.expand(self.mixer(self.reduce(x)))
        return functional.relu(y + (x if self.shortcut is None else self.shortcut(x)))


class ResNet50(nn.Module):
    """ResNet-50 for 32x32 images. `core` is a value of CORES, or None for convolutions."""

    def __init__(self, core=None):
        super().__init__()
        self.stem = ConvolutionUnit(3, WIDTHS[0], 7, stride=2)
        channels, side = WIDTHS[0], IMAGE_SIDE // 4
        for stage, (width, blocks) in enumerate(zip(WIDTHS, BLOCKS), start=1):
            group = nn.Module()
            for block in range(1, blocks + 1):
                stride = 2 if stage > 1 and block == 1 else 1
                group.add_module(f"block{block}", Bottleneck(channels, width, side, stride, core))
                channels, side = 4 * width, side // stride
            self.add_module(f"stage{stage}", group)
        self.head = nn.Linear(channels, CLASSES)

    def forward(self, x):
        y = functional.max_pool2d(self.stem(x), 3, stride=2, padding=1)
        for stage in range(1, len(BLOCKS) + 1):
            for block in getattr(self, f"stage{stage}").children():
                y = block(y)
        return self.head(y.mean((2, 3)))


def make_network(kind):
    """The network of a kind: "conv", or the name of a core for the lambda network."""
    return ResNet50(None if kind == "conv" else CORES[kind])
