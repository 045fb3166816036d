"""Writes pictures of every kind, and what an exported network.py reads of each.

usage: make_pictures.py NETWORK.PY FOLDER    Beside each picture NAME lies NAME.rgb: width and height
in a line, then the RGB bytes. Also checks that Pillow itself reads what is plain as network.py does,
and that network.py reads the same without Pillow.
"""

import ast
import itertools
import pathlib
import random
import struct
import sys
import zlib

from PIL import Image

WIDTH, HEIGHT = 13, 7
CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
folder = pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def functions_of(path):
    """The functions that read pictures, without torch, which the rest of the file needs."""
    kept = [node for node in ast.parse(pathlib.Path(path).read_text()).body
            if isinstance(node, ast.Import) and "torch" not in node.names[0].name
            or isinstance(node, ast.FunctionDef) and node.name in ("read_png", "read_picture")]
    names = {}
    exec(compile(ast.Module(kept, []), str(path), "exec"), names)
    return names["read_picture"], names["read_png"]


read_picture, read_png = functions_of(sys.argv[1])


def chunk(kind, body):
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def packed(rows, bits):
    """Rows of samples as lines of a PNG file, without a filter."""
    data = b""
    for row in rows:
        text = "".join(format(value, f"0{bits}b") for value in row)
        text += "0" * (-len(text) % 8)
        data += b"\0" + int(text, 2).to_bytes(len(text) // 8, "big")
    return data


def png(color, bits, interlaced, chunks):
    """A PNG file of random samples; `chunks` come before the pixels."""
    channels = CHANNELS[color]
    chance = random.Random(f"{color} {bits}")
    samples = [[[chance.randrange(1 << bits) for _ in range(channels)] for _ in range(WIDTH)]
               for _ in range(HEIGHT)]
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
                  (0, 1, 1, 2)]
    data = b""
    for x, y, across, down in passes:
        rows = [list(itertools.chain(*row[x::across])) for row in samples[y::down]]
        data += packed([row for row in rows if row], bits)
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, bits, color, 0, 0, interlaced)
    palette = b""
    if color == 3:
        palette = chunk(b"PLTE", random.Random(bits).randbytes(3 << bits))
    clear = b""
    if b"tRNS" in chunks:
        clear = chunk(b"tRNS", {0: struct.pack(">H", samples[2][3][0]),
                                2: struct.pack(">HHH", *(samples[2][3] * 3)[:3]),
                                3: bytes((0, 100, 255)[: min(3, 1 << bits)])}[color])
    other = b"".join(chunk(kind, body) for kind, body in chunks.items() if body is not None)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + other + palette + clear +
            chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b""))


def gamma(value):
    return {b"gAMA": struct.pack(">I", round(value * 100000))}


KINDS_OF_CHUNKS = {
    "plain": {}, "gamma1": gamma(1), "gamma045": gamma(1 / 2.2), "srgb": {b"sRGB": b"\0"},
    "chromaticities": {b"cHRM": struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)},
    "clear": {b"tRNS": None}, "clear-gamma1": {b"tRNS": None, **gamma(1)},
}
for color, depths in {0: (1, 2, 4, 8, 16), 2: (8, 16), 3: (1, 2, 4, 8), 4: (8, 16), 6: (8, 16)}.items():
    for bits, interlaced, (kind, chunks) in itertools.product(depths, (0, 1), KINDS_OF_CHUNKS.items()):
        # Pillow compares the transparent colour of these with samples that it has scaled to 8 bits.
        is_wrong_in_pillow = (color, bits) in ((0, 2), (0, 4), (2, 16))
        if b"tRNS" in chunks and (color in (4, 6) or is_wrong_in_pillow):
            continue
        (folder / f"color{color}-{bits}bit-{interlaced}-{kind}.png").write_bytes(
            png(color, bits, interlaced, chunks))
for name, value in {"32768": 32768, "65535": 65535, "255": 255, "256": 256}.items():
    rgb = struct.pack(">3H", value, value, value) * (WIDTH * HEIGHT)
    lines = b"".join(b"\0" + rgb[y * 6 * WIDTH : (y + 1) * 6 * WIDTH] for y in range(HEIGHT))
    (folder / f"sixteen-{name}.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 16, 2, 0, 0, 0)) +
        chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def waves(mode):
    chance = random.Random(mode)
    small = Image.frombytes(mode, (5, 4), chance.randbytes(5 * 4 * len(Image.new(mode, (1, 1)).getbands())))
    return small.resize((45, 34), Image.BICUBIC)


JPEGS = {"plain": {}, "best": {"quality": 100}, "worst": {"quality": 5}, "progressive": {"progressive": True},
         "optimised": {"optimize": True}, **{f"sampling{i}": {"subsampling": i} for i in range(3)}}
for mode in ("L", "RGB", "CMYK"):
    for name, options in JPEGS.items():
        waves(mode).save(folder / f"{mode}-{name}.jpg", **options)
waves("RGB").save(folder / "profile.jpg", icc_profile=bytes(200))
for orientation in range(1, 9):
    exif = Image.Exif()
    exif[0x0112] = orientation
    for order in ("little", "big"):
        exif.endian = "<" if order == "little" else ">"
        for ending, options in {"jpg": {}, "png": {}, "webp": {"lossless": True}}.items():
            waves("RGB").save(folder / f"orientation{orientation}-{order}.{ending}", exif=exif.tobytes(), **options)
    waves("RGBA").save(folder / f"orientation{orientation}-clear.png", exif=exif.tobytes())
for mode in ("RGB", "RGBA"):
    for name, options in {"lossless": {"lossless": True}, "lossy": {"quality": 60}}.items():
        waves(mode).save(folder / f"{mode}-{name}.webp", **options)
frames = [waves(mode).convert("RGBA") for mode in ("RGB", "L")]
frames[0].save(folder / "animation.webp", save_all=True, append_images=frames[1:], lossless=True)
frames[0].save(folder / "animation.png", save_all=True, append_images=frames[1:])

for file in sorted(folder.iterdir()):
    width, height, rgb = read_picture(file)
    file.with_name(file.name + ".rgb").write_bytes(f"{width} {height}\n".encode() + rgb)
    image = Image.open(file)
    isOpaque = "A" not in image.getbands() and "transparency" not in image.info
    if isOpaque and not image.mode.startswith("I") and not file.name.startswith("orientation"):
        assert image.convert("RGB").tobytes() == rgb, f"{file.name}: Pillow reads something else"
    if file.suffix == ".png":
        try:
            alone = read_png(file)
        except SystemExit:
            continue
        assert alone == (width, height, rgb), f"{file.name}: something else without Pillow"
