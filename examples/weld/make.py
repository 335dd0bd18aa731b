#!/usr/bin/python3
"""Makes the recordings of a weld line on which an alarm went off: make.py FOLDER

camera.mp4   30 pictures a second of what comes down the line; at 6.9 s somebody's tool is on it
thermal.mp4  10 pictures a second of the weld, from a second camera
plc.csv      1,000 rows a second, in microseconds since 1970: current, gas flow, alarm
reports/     inspection reports of the years before, as PDF
answers.json what is to be found
"""
import json
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from make_clip import HEIGHT, WIDTH, draw_scene  # noqa: E402
from PIL import Image, ImageDraw  # noqa: E402

BEGAN_US = 1_764_410_400_000_000  # 2025-11-29T10:00:00Z
SECONDS = 12
TOOL_AT, ALARM_AT = 6.9, 7.3137
CAUSES = dict(
    hammer=("station 3", "A hammer lay on the conveyor and pressed the hose of the shielding gas. The flow fell below "
            "12 l/min and the arc broke off. Take tools off the line and replace hose H-17."),
    key=("station 1", "A key in the clamp kept it from closing. The sheets gaped by 0.4 mm."),
    bell=("station 2", "The bell of the shift came loose and struck the torch, which was bent."),
    camera=("station 5", "The camera of the inspection was fogged by spatter. Clean its glass each week."),
    laptop=("station 4", "A laptop on the cabinet covered the fan. The rectifier switched itself off at 85 degrees."),
    banana=("station 6", "Peel of a banana on the belt made the sheet slip by 3 mm."),
    guitar=("station 2", "Vibration at 82 Hz, as of a guitar string, came from a worn bearing of the feeder."),
    robot=("station 5", "The robot had lost its zero after a power cut; each seam was 1.2 mm to the left."))


def escaped(text):
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def write_pdf(path, pages):
    """Pages of lines in Helvetica."""
    objects = [None, None, b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = " ".join(f"({escaped(line)}) Tj T*" for line in lines)
        stream = f"BT /F1 11 Tf 14 TL 60 780 Td {shown} ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream")
        kids.append(len(objects) + 1)
        objects.append(b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R "
                       b"/Resources << /Font << /F1 3 0 R >> >> >>" % (len(objects)))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (len(kids), b" ".join(b"%d 0 R" % k for k in kids))
    out, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table
    out += b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, out.rindex(b"xref\n0"))
    path.write_bytes(out)


def write_reports(folder):
    folder.mkdir(exist_ok=True)
    for number, (thing, (station, found)) in enumerate(CAUSES.items(), 1):
        words, lines = found.split(), [""]
        for word in words:
            if len(lines[-1]) + len(word) > 70:
                lines.append("")
            lines[-1] = (lines[-1] + " " + word).strip()
        write_pdf(folder / f"report-{number:02}.pdf",
                  [[f"Inspection report {number}", f"Line 2, {station}", "", "Inspected: torch, clamps, feeder, hoses."],
                   [f"Findings at {station}", "", *lines]])


def encode(pictures, fps, path):
    """`pictures`: (image, seconds)."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s",
               f"{pictures[0][0].width}x{pictures[0][0].height}", "-r", str(fps), "-i", "-", "-c:v", "libx264",
               "-preset", "ultrafast", "-crf", "20", "-pix_fmt", "yuv420p", "-threads", "1", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        for image, seconds in pictures:
            for _ in range(round(seconds * fps)):
                process.stdin.write(image.tobytes())
        process.stdin.close()
        if process.wait():
            sys.exit("ffmpeg failed")


def thermal(hot):
    image = Image.new("RGB", (160, 120), (20, 10, 60))
    ImageDraw.Draw(image).ellipse((60, 40, 100, 80), fill=(255, 240, 120) if hot else (140, 30, 90))
    return image


def write_log(path):
    rng = random.Random(3)
    with path.open("w") as out:
        out.write("time_us,current_a,gas_flow,weld_alarm\n")
        for row in range(SECONDS * 1000):
            at = row / 1000 + rng.random() * 1e-4
            failing = at >= TOOL_AT + 0.2
            flow = max(9.5, 15 - 30 * (at - TOOL_AT - 0.2)) if failing else 15.0
            current = 182.0 if at < ALARM_AT - 0.05 else 31.0
            out.write(f"{BEGAN_US + round(at * 1e6)},{current + rng.uniform(-2, 2):.1f},"
                      f"{flow + rng.uniform(-0.1, 0.1):.2f},{int(at >= ALARM_AT)}\n")


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    ground = (238, 232, 213)
    part, tool = ("bus", (200, HEIGHT // 2, 180)), ("hammer", (WIDTH - 190, HEIGHT // 2, 170))
    before, after = draw_scene([part], ground), draw_scene([part, tool], ground)
    encode([(before, TOOL_AT), (after, SECONDS - TOOL_AT)], 30, folder / "camera.mp4")
    encode([(thermal(True), ALARM_AT - 0.05), (thermal(False), SECONDS - ALARM_AT + 0.05)], 10, folder / "thermal.mp4")
    write_log(folder / "plc.csv")
    write_reports(folder / "reports")
    (folder / "answers.json").write_text(json.dumps(
        dict(began="2025-11-29T10:00:00Z", alarm_s=ALARM_AT, tool_s=TOOL_AT, tool="hammer", report="report-01.pdf",
             page=2, remedy="hose H-17")) + "\n")


if __name__ == "__main__":
    main()
