"""Editors of MPEG transport streams: times that wrap, jump and lie, packets that come late or never."""

PACKET = 188


def packets(data):
    return [bytearray(data[at:at + PACKET]) for at in range(0, len(data) - PACKET + 1, PACKET)]


def pid(packet):
    return (packet[1] & 0x1F) << 8 | packet[2]


def get_stamp(packet, at):
    b = packet[at:at + 5]
    return (b[0] >> 1 & 7) << 30 | b[1] << 22 | (b[2] >> 1) << 15 | b[3] << 7 | b[4] >> 1


def set_stamp(packet, at, value):
    value %= 1 << 33
    packet[at] = packet[at] & 0xF1 | (value >> 30 & 7) << 1
    packet[at + 1] = value >> 22 & 255
    packet[at + 2] = (value >> 15 & 127) << 1 | 1
    packet[at + 3] = value >> 7 & 255
    packet[at + 4] = (value & 127) << 1 | 1


def stamps(packet):
    """Where a packet's PTS and DTS are."""
    if not packet[1] & 0x40:
        return []
    at = 4 + (packet[4] + 1 if packet[3] & 0x20 else 0)
    if packet[at:at + 3] != b"\0\0\1" or packet[at + 3] < 0xC0:
        return []
    flags = packet[at + 7] >> 6
    return [at + 9] * (flags >= 2) + [at + 14] * (flags == 3)


def moved(change):
    """change(stamp, number, pid) to the new stamp in 90 kHz ticks; `number` counts a stream's pictures or sounds."""
    def apply(data):
        counts, out = {}, packets(data)
        for packet in out:
            places = stamps(packet)
            if places:
                number = counts[pid(packet)] = counts.get(pid(packet), -1) + 1
                for at in places:
                    set_stamp(packet, at, change(get_stamp(packet, at), number, pid(packet)))
            if packet[3] & 0x20 and packet[4] > 0:  # the clock reference, and whatever stands beside it
                packet[5] &= ~0x10
        return b"".join(out)
    return apply


def begins_at(seconds):
    """All times moved so that the first is this; wraps where 33 bits end."""
    def apply(data):
        first = min(get_stamp(packet, at) for packet in packets(data) for at in stamps(packet))
        return moved(lambda stamp, *_: stamp - first + round(seconds * 90000))(data)
    return apply


def without(wanted):
    """Without the packets for which wanted(packet, index) says so."""
    return lambda data: b"".join(p for i, p in enumerate(packets(data)) if not wanted(p, i))


def delayed(stream, count):
    """Packets of a stream come so many packets later."""
    def apply(data):
        keyed = [(i + (count if pid(p) == stream else 0), i, p) for i, p in enumerate(packets(data))]
        return b"".join(p for _, _, p in sorted(keyed, key=lambda entry: entry[:2]))
    return apply


VIDEO, AUDIO = 0x100, 0x101  # as FFmpeg numbers them
