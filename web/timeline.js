// The timeline strip: frames, speech, readings and answers on one axis of session time.

import { seconds, svg } from "./dom.js";

const MOST = 2000; // marks
const LANES = { frame: 0, utterance: 1, text: 2, reading: 2, answer: 3 };
const LANE_HEIGHT = 22;
const AXIS = 18;
const NAMES = ["frames", "speech", "data", "answers"];
const LEFT = 52;
const SPANS = [5, 10, 20, 30, 60, 120, 300, 600]; // seconds in sight
const STEPS = [1, 1, 2, 5, 10, 20, 60, 120];

export class Timeline {
  constructor(strip, description) {
    this.strip = strip;
    this.description = description;
    this.zoom = 3;
    strip.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.draw()).observe(strip);
    this.clear();
  }

  clear() {
    this.marks = [];
    this.picked = null;
    this.end = 0;
    this.description.textContent = "";
    this.draw();
  }

  /** Takes an object of docs/json.md; what has no place on the axis moves its end at most. */
  add(object) {
    const mark = markOf(object);
    if (mark) {
      this.marks.push(mark);
      if (this.marks.length > MOST) this.marks.shift();
    }
    this.end = Math.max(this.end, mark?.to ?? 0, object.type === "progress" ? object.at_us : 0);
    this.draw();
  }

  /** An object that was added is different now. */
  changed(object) {
    const mark = this.marks.find((one) => one.object === object);
    if (mark) Object.assign(mark, markOf(object));
    this.draw();
  }

  draw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.#draw();
    });
  }

  #draw() {
    const width = this.strip.clientWidth || 300;
    const height = NAMES.length * LANE_HEIGHT + AXIS;
    const span = SPANS[this.zoom] * 1e6;
    const last = Math.max(this.picked ? Math.min(this.end, this.picked.to + span / 2) : this.end, span);
    const scale = { x: (us) => LEFT + ((us - last + span) / span) * (width - LEFT - 6), from: last - span, to: last };
    this.strip.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.strip.replaceChildren(...lanes(width), ...ticks(scale, STEPS[this.zoom] * 1e6),
      ...this.marks.filter((mark) => mark.to >= scale.from && mark.from <= scale.to)
        .map((mark) => shape(mark, scale, mark === this.picked)));
    this.strip.setAttribute("aria-label", this.#label());
  }

  #label() {
    const count = (test) => this.marks.filter(test).length;
    const frames = count((m) => m.type === "frame");
    if (!this.marks.length) return "Nothing yet";
    return `${frames} frames, ${count((m) => m.type === "frame" && m.kept)} kept; ` +
      `${count((m) => m.type === "utterance")} utterances; ${count((m) => m.type === "answer")} answers; ` +
      `to ${seconds(this.end)}. Arrow keys go from mark to mark.`;
  }

  #key(event) {
    const sorted = [...this.marks].sort((a, b) => a.from - b.from);
    const at = sorted.indexOf(this.picked);
    const picks = { ArrowLeft: at < 0 ? sorted.length - 1 : Math.max(at - 1, 0), Home: 0, End: sorted.length - 1,
      ArrowRight: Math.min(at + 1, sorted.length - 1) };
    if (event.key in picks && sorted.length) {
      this.picked = sorted[picks[event.key]];
      this.description.textContent = this.picked.says;
    } else if (event.key === "Escape") {
      this.picked = null;
      this.description.textContent = "";
      return this.draw();
    } else if (event.key === "+" || event.key === "=") this.zoom = Math.max(this.zoom - 1, 0);
    else if (event.key === "-") this.zoom = Math.min(this.zoom + 1, SPANS.length - 1);
    else return;
    event.preventDefault();
    this.draw();
  }
}

function markOf(object) {
  const { type, source, kept, reason } = object;
  if (type === "answer") {
    const from = object.asked_at_us;
    const to = from + (object.wall_ms ?? 0) * 1000;
    const says = `answer at ${seconds(from)}: ${object.question} ${object.text}`;
    return { object, type, from, to, kept: object.finish !== "error", says };
  }
  if (!(type in LANES)) return null;
  const from = object.start_us ?? object.at_us;
  const to = object.end_us ?? object.at_us;
  const what = object.text ? `: ${object.text}` : "";
  const fate = `${kept ? "kept" : "dropped"}${reason ? ` (${reason})` : ""}`;
  return { object, type, from, to, kept, says: `${type} of ${source} at ${seconds(from)}, ${fate}${what}` };
}

function shape(mark, scale, picked) {
  const y = LANES[mark.type] * LANE_HEIGHT;
  const left = Math.max(scale.x(mark.from), LEFT);
  const thin = mark.type === "frame" || mark.type === "reading";
  const width = thin ? 3 : Math.max(scale.x(mark.to) - left, 3);
  // Dropped ones are lower, so that the difference doesn't hang on colour.
  const [top, height] = mark.kept ? [y + 3, LANE_HEIGHT - 6] : [y + 12, LANE_HEIGHT - 15];
  const fate = mark.kept ? "kept" : "dropped";
  return svg("rect", { class: `mark ${mark.type} ${fate}${picked ? " picked" : ""}`, x: left.toFixed(1), y: top,
    width: width.toFixed(1), height, rx: 1.5 }, svg("title", {}, mark.says));
}

function lanes(width) {
  return NAMES.flatMap((name, i) => [
    svg("line", { class: "lane", x1: LEFT, x2: width, y1: (i + 1) * LANE_HEIGHT - 1, y2: (i + 1) * LANE_HEIGHT - 1 }),
    svg("text", { class: "lane-name", x: 0, y: i * LANE_HEIGHT + 15 }, name)]);
}

function ticks(scale, step) {
  const made = [];
  for (let us = Math.ceil(scale.from / step) * step; us <= scale.to; us += step) {
    const x = scale.x(us).toFixed(1);
    const bottom = NAMES.length * LANE_HEIGHT;
    const anchor = us === scale.to ? "end" : "middle";
    made.push(svg("line", { class: "tick", x1: x, x2: x, y1: 0, y2: bottom }),
      svg("text", { class: "tick-time", x, y: bottom + 13, "text-anchor": anchor }, `${us / 1e6} s`));
  }
  return made;
}
