"""Editors of MP4 files: display matrices, edit lists and other lies, set byte by byte."""

import struct

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"udta", b"moof", b"traf"}


def tree(data):
    """[kind, content or list of children] of each box."""
    boxes, at = [], 0
    while at + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        body = data[at + 8:at + size]
        boxes.append([kind, tree(body) if kind in CONTAINERS else body])
        at += size
    return boxes


def packed(boxes):
    out = b""
    for kind, content in boxes:
        body = packed(content) if isinstance(content, list) else content
        out += struct.pack(">I4s", len(body) + 8, kind) + body
    return out


def child(boxes, *path):
    for kind in path:
        boxes = next(box for box in boxes if box[0] == kind)
        last, boxes = boxes, boxes[1]
    return last


def tracks(boxes):
    return [box[1] for box in child(boxes, b"moov")[1] if box[0] == b"trak"]


def edit(change):
    """`change` takes the tree; the index must stand behind the samples, whose places stay."""
    def apply(data):
        boxes = tree(data)
        change(boxes)
        return packed(boxes)
    return apply


def matrix(a, b, c, d, track=0):
    """Sets a track's display matrix."""
    values = struct.pack(">9i", a << 16, b << 16, 0, c << 16, d << 16, 0, 0, 0, 1 << 30)

    def change(boxes):
        head = child(tracks(boxes)[track], b"tkhd")
        at = 40 if head[1][0] == 0 else 52
        head[1] = head[1][:at] + values + head[1][at + 36:]
    return edit(change)


def edits(*entries, track=0):
    """Sets a track's edit list: (milliseconds shown, start in the track's ticks or -1 for nothing)."""
    def change(boxes):
        trak = tracks(boxes)[track]
        scale = struct.unpack_from(">I", child(boxes, b"moov", b"mvhd")[1], 12)[0]
        listed = struct.pack(">II", 0, len(entries))
        for milliseconds, start in entries:
            listed += struct.pack(">IihH", milliseconds * scale // 1000, start, 1, 0)
        trak[:] = [box for box in trak if box[0] != b"edts"]
        trak.insert(1, [b"edts", [[b"elst", listed]]])
    return edit(change)


def claims(kind, path, offset, value):
    """Overwrites 32 bits in a box of the first track."""
    def change(boxes):
        box = child(tracks(boxes)[0], *path, kind)
        box[1] = box[1][:offset] + struct.pack(">I", value) + box[1][offset + 4:]
    return edit(change)


def claims_size(width, height):
    """Of the first track's pictures, in its sample entry."""
    def change(boxes):
        box = child(tracks(boxes)[0], b"mdia", b"minf", b"stbl", b"stsd")
        box[1] = box[1][:40] + struct.pack(">HH", width, height) + box[1][44:]
    return edit(change)
