"""Reading the PNG files that the renderer writes (8 bits, RGB or RGBA, not interlaced), and judging them in numbers."""
import struct
import zlib


def read(path):
    """(width, height, channels, rows): rows of bytes."""
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", f"{path} is no PNG"
    at, packed, head = 8, b"", None
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    width, height, depth, color, _, _, interlace = head
    assert depth == 8 and color in (2, 6) and interlace == 0, head
    n = 3 if color == 2 else 4
    raw, stride, rows = zlib.decompress(packed), width * n, []
    before = bytearray(stride)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        _unfilter(kind, line, before, n)
        rows.append(bytes(line))
        before = line
    return width, height, n, rows


def _unfilter(kind, line, before, n):
    if kind == 0:
        return
    for i in range(len(line)):
        left = line[i - n] if i >= n else 0
        up = before[i]
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) // 2
        else:
            corner = before[i - n] if i >= n else 0
            p = left + up - corner
            a, b, c = abs(p - left), abs(p - up), abs(p - corner)
            add = left if a <= b and a <= c else up if b <= c else corner
        line[i] = (line[i] + add) & 255


def small(path, across=32, down=18):
    """Mean colours over a coarse grid: [(r, g, b)], row by row."""
    width, height, n, rows = read(path)
    cells = []
    for cy in range(down):
        for cx in range(across):
            total, count = [0, 0, 0], 0
            for y in range(cy * height // down, max((cy + 1) * height // down, cy * height // down + 1), 2):
                row = rows[y]
                for x in range(cx * width // across, (cx + 1) * width // across, 2):
                    for c in range(3):
                        total[c] += row[x * n + c]
                    count += 1
            cells.append(tuple(t / max(count, 1) for t in total))
    return cells


def difference(a, b):
    """Mean distance of two coarse grids, 0 to 255."""
    assert len(a) == len(b)
    return sum(sum(abs(p - q) for p, q in zip(x, y)) / 3 for x, y in zip(a, b)) / len(a)


def spread(cells):
    """How much the picture varies: mean distance from its own mean colour. A blank picture has 0."""
    mean = [sum(c[k] for c in cells) / len(cells) for k in range(3)]
    return sum(sum(abs(c[k] - mean[k]) for k in range(3)) / 3 for c in cells) / len(cells)
