"""Stills and films of every form, size and orientation: upright, square pixels, colours as a person would see them."""

from .. import boxes, damage
from ..case import BLACK, BLUE, CORNERS, GREEN, GREY, RED, WHITE, Case, case, mirrored, turned
from ..ffmpeg import X264, corners, edited, made, written

ONE = [*corners("64x48", 10, 1), "-frames:v", "1"]
FOUR = [*corners("64x48", 10, 0.4)]
SQUARE = [*corners("64x64", 10, 0.1)]
TIMES = [0, 0.1, 0.2, 0.3]


def still(name, *encoder, **expect):
    return case(name, made(*ONE, *encoder), **({"frames": [0], "size": [64, 48], "colours": CORNERS} | expect))


STILLS = [
    still("still.png"), still("still.jpg", "-q:v", "2"), still("still.webp", "-lossless", "1"), still("lossy.webp", "-c:v", "libwebp", "-q:v", "90"),
    still("still.bmp"), still("still.tiff"), still("still.gif"), still("still.ppm"), still("still.jp2"), still("still.jxl"),
    still("still.qoi"), still("still.pcx"), still("still.jls", "-pix_fmt", "rgb24"), still("still.sgi"),
    still("grey.png", "-vf", "format=gray", colours=[(54,) * 3, (182,) * 3, (18,) * 3, WHITE]),
    still("grey16.png", "-vf", "format=gray16be", colours=[(54,) * 3, (182,) * 3, (18,) * 3, WHITE]),
    still("rgb48.png", "-pix_fmt", "rgb48be"), still("palette.png", "-pix_fmt", "pal8"),
    still("grey.pgm", "-vf", "format=gray", colours=[(54,) * 3, (182,) * 3, (18,) * 3, WHITE]),
    Case("bits.png", made("-f", "lavfi", "-i", "color=black:s=64x48,drawbox=x=32:y=0:w=32:h=48:c=white:t=fill", "-frames:v", "1", "-pix_fmt", "monob"),
         {"frames": [0], "colours": [BLACK, WHITE, BLACK, WHITE]}),
    Case("clear.png", made("-f", "lavfi", "-i", "color=red@0.0:s=64x48,format=rgba", "-frames:v", "1"), {"frames": [0], "colours": [BLACK] * 4}, fast=True),
    Case("half_clear.png", made("-f", "lavfi", "-i", "color=white@0.5:s=64x48,format=rgba", "-frames:v", "1"), {"frames": [0], "colours": [GREY] * 4}),
    Case("clear16.png", made("-f", "lavfi", "-i", "color=red@0.0:s=64x48,format=rgba,format=rgba64be", "-frames:v", "1"), {"frames": [0], "colours": [BLACK] * 4}),
    Case("grey_clear.png", made("-f", "lavfi", "-i", "color=white@0.0:s=64x48,format=rgba,format=ya8", "-frames:v", "1"), {"frames": [0], "colours": [BLACK] * 4}),
    Case("clear.webp", made("-f", "lavfi", "-i", "color=red@0.0:s=64x48,format=bgra", "-frames:v", "1", "-c:v", "libwebp", "-lossless", "1"),
         {"frames": [0], "colours": [BLACK] * 4}),
    Case("clear.mov", made("-f", "lavfi", "-i", "color=red@0.0:s=64x48:r=10:d=0.2,format=rgba", "-c:v", "png"), {"frames": [0, 0.1], "colours": [BLACK] * 4}),
]


def sampled(name, form, encoder=X264[:4], **expect):
    return case(name, made(*FOUR, *encoder, "-pix_fmt", form), **({"frames": TIMES, "size": [64, 48], "colours": CORNERS} | expect))


X265 = ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error"]
BT2020 = "zscale=tin=bt709:min=bt709:pin=bt709:t={0}:m=bt2020nc:p=bt2020:npl=203,format=yuv420p10"


def wide(name, transfer):
    params = f"log-level=error:colorprim=bt2020:transfer={transfer}:colormatrix=bt2020nc"
    return Case(name, made("-f", "lavfi", "-i", "color=gray:s=64x48:r=10:d=0.4,format=gbrp,drawbox=x=0:y=0:w=iw/2:h=ih/2:c=red:t=fill,"
                           "drawbox=x=32:y=0:w=iw/2:h=ih/2:c=white:t=fill,drawbox=x=0:y=ih/2:w=iw/2:h=ih/2:c=blue:t=fill,"
                           + BT2020.format(transfer), "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", params,
                           "-color_trc", transfer, "-color_primaries", "bt2020", "-colorspace", "bt2020nc"),
                {"frames": TIMES, "colours": [RED, WHITE, BLUE, GREY], "colour_slack": 60})


FORMS = [
    sampled("yuv444.mp4", "yuv444p"), sampled("yuv422.mp4", "yuv422p"), sampled("ten_bit.mp4", "yuv420p10le"), sampled("ten_bit_444.mp4", "yuv444p10le"),
    sampled("rgb.mkv", "rgb24", ["-c:v", "libx264rgb", "-preset", "ultrafast"]), sampled("hevc_ten_bit.mp4", "yuv420p10le", X265),
    sampled("hevc_twelve_bit.mp4", "yuv422p12le", X265), sampled("sixteen_bit.mkv", "gbrp16le", ["-c:v", "ffv1", "-level", "3"]),
    sampled("yuv411.avi", "yuv411p", ["-c:v", "ffv1"]), sampled("yuv410.mkv", "yuv410p", ["-c:v", "ffv1"]),
    sampled("full_range.mkv", "yuvj420p", ["-c:v", "mjpeg", "-q:v", "2"]),
    sampled("bt709.mp4", "yuv420p", ["-vf", "scale=out_color_matrix=bt709", *X264[:4], "-colorspace", "bt709"]),
    sampled("alpha.webm", "yuva420p", ["-c:v", "libvpx-vp9", "-speed", "8"]),
    wide("hdr_pq.mp4", "smpte2084"), wide("hdr_hlg.mp4", "arib-std-b67"),
]


def sized(name, size, shown=None, encoder=("-c:v", "ffv1", "-pix_fmt", "bgr0"), **expect):
    return case(name, made(*corners(size, 10, 0.2), *encoder), **({"frames": [0, 0.1], "size": shown or [int(side) for side in size.split("x")]} | expect))


SIZES = [
    sized("1x1.mkv", "1x1"), sized("2x2.mp4", "2x2", encoder=X264), sized("1x17.mkv", "1x17"), sized("17x1.mkv", "17x1"), sized("33x35.mkv", "33x35", colours=CORNERS),
    sized("101x67.webm", "101x67", encoder=["-c:v", "libvpx-vp9", "-speed", "8"], colours=CORNERS), sized("3x1000.mkv", "3x1000"),
    sized("4000x2.mkv", "4000x2", [1280, 1]), sized("1366x768.mp4", "1366x768", [1280, 720], encoder=X264, colours=CORNERS),
    Case("1x1.png", made(*corners("1x1", 1, 1), "-frames:v", "1"), {"frames": [0], "size": [1, 1]}),
    Case("1x1.gif", made(*corners("1x1", 1, 1), "-frames:v", "1"), {"frames": [0], "size": [1, 1]}),
]


def stretched(name, shown, *encoder, edit=None, **expect):
    make = edited(name.rsplit(".")[1], [*FOUR, *encoder], edit) if edit else made(*FOUR, *encoder)
    return case(name, make, **({"frames": TIMES, "size": shown, "colours": CORNERS} | expect))


SHAPES = [
    stretched("wide_pixels.mp4", [85, 48], "-vf", "setsar=4/3", *X264, ), stretched("tall_pixels.mkv", [32, 48], "-vf", "setsar=1/2", *X264),
    case("dvd.ts", made(*corners("64x48", 25, 0.4), "-c:v", "mpeg2video", "-bf", "0", "-vf", "setdar=16/9"), frames=[i / 25 for i in range(10)], size=[85, 48], colours=CORNERS),
    stretched("absurd_pixels.mkv", [64, 48], "-vf", "setsar=100/1", "-c:v", "ffv1"),
    stretched("two_minds.mkv", [128, 48], *X264, "-bsf:v", "h264_metadata=sample_aspect_ratio=1/1", "-aspect", "8/3"),
]

# Display matrices as phones write them: x' = a x + c y, y' = b x + d y.
MATRICES = {
    "upright": ((1, 0, 0, 1), CORNERS), "quarter": ((0, 1, -1, 0), turned(CORNERS)), "half": ((-1, 0, 0, -1), turned(turned(CORNERS))),
    "three_quarters": ((0, -1, 1, 0), turned(turned(turned(CORNERS)))), "mirror": ((-1, 0, 0, 1), mirrored(CORNERS)),
    "flip": ((1, 0, 0, -1), mirrored(turned(turned(CORNERS)))), "transpose": ((0, 1, 1, 0), [RED, BLUE, GREEN, WHITE]),
    "transverse": ((0, -1, -1, 0), [WHITE, GREEN, BLUE, RED]), "nothing": ((0, 0, 0, 0), CORNERS),
}
EXIF = [CORNERS, mirrored(CORNERS), turned(turned(CORNERS)), mirrored(turned(turned(CORNERS))), [RED, BLUE, GREEN, WHITE], turned(CORNERS),
        [WHITE, GREEN, BLUE, RED], turned(turned(turned(CORNERS)))]


def turned_film(name, entry):
    numbers, colours = entry
    lies = colours in ([RED, BLUE, GREEN, WHITE], [WHITE, GREEN, BLUE, RED], turned(CORNERS), turned(turned(turned(CORNERS))))
    return Case(f"matrix_{name}.mp4", edited("mp4", [*FOUR, *X264], boxes.matrix(*numbers)),
                {"frames": TIMES, "size": [48, 64] if lies else [64, 48], "colours": colours}, fast=name in ("quarter", "mirror", "transverse"))


def with_exif(ending, orientation, edit, *encoder):
    return Case(f"exif_{orientation}.{ending}", edited(ending, [*ONE, *encoder], edit(orientation)),
                {"frames": [0], "size": [64, 48] if orientation < 5 else [48, 64], "colours": EXIF[orientation - 1]}, fast=orientation == 6)


TURNED = [turned_film(*entry) for entry in MATRICES.items()] + [with_exif("jpg", o, damage.jpeg_exif, "-q:v", "2") for o in range(1, 9)] + [
    with_exif("webp", o, damage.webp_exif, "-c:v", "libwebp", "-q:v", "95") for o in (3, 6)] + [with_exif("png", o, damage.png_exif) for o in (6, 7)]

# Two fields of one frame show two moments; white moves over black.
FIELDS = "color=black:s=64x64:r=20:d=0.4,format=yuv420p,geq=lum='if(eq(floor(X/32),mod(N,2)),235,16)':cb=128:cr=128,interlace=scan=tff:lowpass=off"
WOVEN = [
    Case("fields.ts", made("-f", "lavfi", "-i", FIELDS, "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-top", "1", "-q:v", "1", "-r", "25"),
         {"frames": {"count": [4, 12]}, "size": [64, 64], "colours": [WHITE, BLACK, WHITE, BLACK]}),
    Case("fields.mp4", made("-f", "lavfi", "-i", FIELDS, *X264, "-flags", "+ildct+ilme", "-x264opts", "tff=1:crf=1", "-r", "10"),
         # x264 says that the lower field is the first.
         {"frames": TIMES, "size": [64, 64], "colours": [BLACK, WHITE, BLACK, WHITE]}, fast=True),
    Case("fields_at_rest.mp4", made(*FOUR, *X264, "-flags", "+ildct+ilme", "-x264opts", "tff=1"), {"frames": TIMES, "size": [64, 48], "colours": CORNERS}),
]
CASES = STILLS + FORMS + SIZES + SHAPES + TURNED + WOVEN + [
    Case("wrong_name.mp3", written(damage.png(8, 8, (b"\0" + b"\xff\0\0" * 8) * 8)),
         {"frames": [0], "size": [8, 8], "colours": [RED] * 4}),
    Case("a:b%03d,c=d.png", written(damage.png(8, 8, (b"\0" + b"\0\xff\0" * 8) * 8)), {"frames": [0], "size": [8, 8], "colours": [GREEN] * 4}, differs="ffprobe takes % for a pattern of names"),
    Case("concat:x|y.png", written(damage.png(8, 8, (b"\0" + b"\0\xff\0" * 8) * 8)), {"frames": [0], "size": [8, 8]}),
]
