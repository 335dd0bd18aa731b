"""Every codec and container that Debian's FFmpeg writes and people have: ten pictures or a second of sound."""

from ..case import CORNERS, Case, grid
from ..ffmpeg import X264, corners, made, tone

MPEG = ["-g", "5", "-bf", "0"]
SVT = ["-c:v", "libsvtav1", "-preset", "12", "-g", "5"]
AOM = ["-c:v", "libaom-av1", "-cpu-used", "8", "-usage", "realtime"]
YUV = ["-pix_fmt", "yuv420p"]

# File, encoder, pictures a second.
FILMS = [
    ("h264.mp4", X264, 10), ("h264_b_frames.mp4", [*X264[:-3], "medium", *YUV, "-bf", "3"], 10), ("h264.mkv", X264, 10),
    ("h264.ts", X264, 10), ("h264.flv", X264, 10), ("h264.mov", X264, 10), ("h264.avi", [*X264, "-bf", "0"], 10),
    ("hevc.mp4", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error", *YUV], 10),
    ("hevc.ts", ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error", *YUV], 10),
    ("vp8.webm", ["-c:v", "libvpx", "-deadline", "realtime", *YUV], 10), ("vp8.ivf", ["-c:v", "libvpx", "-deadline", "realtime", *YUV], 10),
    ("vp9.webm", ["-c:v", "libvpx-vp9", "-speed", "8", *YUV], 10), ("vp9.mp4", ["-c:v", "libvpx-vp9", "-speed", "8", *YUV], 10),
    ("av1.mp4", [*AOM, *YUV], 10), ("av1.mkv", [*AOM, *YUV], 10), ("mjpeg.avi", ["-c:v", "mjpeg", "-q:v", "2"], 10),
    ("mjpeg.mov", ["-c:v", "mjpeg", "-q:v", "2"], 10), ("mpeg2.ts", ["-c:v", "mpeg2video", *MPEG], 25),
    ("mpeg2.mkv", ["-c:v", "mpeg2video", *MPEG], 25), ("mpeg4.avi", ["-c:v", "mpeg4", "-q:v", "2"], 10), ("mpeg4.mp4", ["-c:v", "mpeg4", "-q:v", "2"], 10),
    ("xvid.avi", ["-c:v", "libxvid", "-q:v", "2"], 10), ("msmpeg4.asf", ["-c:v", "msmpeg4", "-q:v", "2"], 10), ("wmv2.wmv", ["-c:v", "wmv2", "-q:v", "2"], 10),
    ("sorenson.flv", ["-c:v", "flv", "-q:v", "2"], 10), ("ffv1.mkv", ["-c:v", "ffv1"], 10),
    ("prores.mov", ["-c:v", "prores_ks"], 10), ("huffyuv.avi", ["-c:v", "huffyuv"], 10), ("raw.avi", ["-c:v", "rawvideo", "-pix_fmt", "bgr24"], 10),
    ("raw.y4m", ["-pix_fmt", "yuv420p"], 10), ("animation.mov", ["-c:v", "qtrle"], 10), ("film.gif", [], 10), ("film.apng", ["-f", "apng"], 10),
    ("dnxhr.mxf", ["-c:v", "dnxhd", "-profile:v", "dnxhr_lb", "-pix_fmt", "yuv422p", "-vf", "scale=256:128"], 25),
]
SOUNDS = [
    ("s16.wav", []), ("u8.wav", ["-c:a", "pcm_u8"]), ("s24.wav", ["-c:a", "pcm_s24le"]), ("f32.wav", ["-c:a", "pcm_f32le"]),
    ("mulaw.wav", ["-c:a", "pcm_mulaw"]), ("alaw.au", ["-c:a", "pcm_alaw"]), ("adpcm.wav", ["-c:a", "adpcm_ms"]), ("ima.wav", ["-c:a", "adpcm_ima_wav"]),
    ("s16.aiff", []), ("s16.caf", []), ("s16.w64", []), ("sound.flac", []), ("sound.mp3", ["-c:a", "libmp3lame"]), ("sound.mp2", ["-c:a", "mp2"]),
    ("sound.aac", ["-c:a", "aac"]), ("aac.m4a", ["-c:a", "aac"]), ("alac.m4a", ["-c:a", "alac"]), ("opus.ogg", ["-c:a", "libopus"]),
    ("opus.webm", ["-c:a", "libopus"]), ("opus.opus", ["-c:a", "libopus"]), ("vorbis.ogg", ["-c:a", "libvorbis"]), ("speex.ogg", ["-c:a", "libspeex"]),
    ("sound.ac3", ["-c:a", "ac3"]), ("sound.eac3", ["-c:a", "eac3"]), ("sound.wv", ["-c:a", "wavpack"]),
    ("sound.tta", ["-c:a", "tta"]), ("sound.dts", ["-c:a", "dca", "-strict", "-2", "-ar", "48000"]), ("pcm.mkv", ["-c:a", "pcm_s16le"]),
    ("mp2.ts", ["-c:a", "mp2"]),
]
FAST = {"h264.mp4", "h264_b_frames.mp4", "hevc.mp4", "vp8.webm", "vp9.webm", "mjpeg.avi", "mpeg2.ts", "film.gif", "s16.wav", "mulaw.wav", "sound.mp3",
        "aac.m4a", "opus.ogg", "sound.flac"}


def film(name, encoder, rate):
    return Case(name, made(*corners("64x48", rate), *encoder), {
        "frames": grid(rate, rate), "size": [256, 128] if name.startswith("dnxhr") else [64, 48], "colours": CORNERS}, fast=name in FAST)


def sound(name, encoder):
    lossless = name.split(".")[1] in ("wav", "au", "aiff", "caf", "w64", "flac", "wv", "tta", "mkv") or name.startswith("alac")
    rate = 48000 if name.startswith(("opus", "sound.dts")) else 32000
    return Case(name, made(*tone(1, rate), *encoder), {"sound": [[0, 1]], "sound_slack": 0.03 if lossless else 0.08, "level": [0.3, 0.38]},
                fast=name in FAST)


CASES = [film(*entry) for entry in FILMS] + [sound(*entry) for entry in SOUNDS] + [
    Case("mpeg1.mpg", made(*corners("64x48", 25), "-c:v", "mpeg1video", *MPEG), {"frames": grid(25, 25), "colours": CORNERS}, differs="ffprobe gives the last picture no time"),
    Case("mpeg2.mpg", made(*corners("64x48", 25), "-c:v", "mpeg2video", *MPEG), {"frames": grid(25, 25), "colours": CORNERS}, differs="ffprobe gives the last picture no time"),
    Case("h263.3gp", made(*corners("176x144", 10), "-c:v", "h263"), {"frames": grid(10, 10), "size": [176, 144], "colours": CORNERS}),
    Case("theora.ogv", made("-f", "lavfi", "-i", "testsrc=s=64x48:r=10:d=1", "-c:v", "libtheora", "-q:v", "9"), {"frames": {"count": [9, 10], "to": 0.91}, "size": [64, 48]}),
    Case("wma.wma", made(*tone(1, 32000), "-c:a", "wmav2"), {"sound": [[0.128, 1.088]], "level": [0.28, 0.38]}),
]
