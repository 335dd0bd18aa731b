// The memory's search box: hits on an axis of calendar time, and below it in words, best first.

import { postJson } from "./api.js";
import { element, svg } from "./dom.js";

const WIDTH = 600; // of the axis, in its own units
const HEIGHT = 44;
const EDGE = 8;
const MOST = 20; // hits

export class MemorySearch {
  constructor({ form, text, axis, hits, state }) {
    Object.assign(this, { text, axis, hits, state });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
  }

  async search() {
    this.state.textContent = "searching";
    try {
      this.#show(await postJson("/v1/memory/search", { query: this.text.value.trim(), limit: MOST }));
    } catch (error) {
      this.hits.replaceChildren();
      this.axis.replaceChildren();
      this.state.textContent = error.message;
    }
  }

  #show(found) {
    const { data, degraded } = found;
    const late = degraded.length ? `; too late: ${degraded.join(", ")}` : "";
    this.state.textContent = `${data.length || "no"} hits${rangeOf(found)}${late}`;
    this.hits.replaceChildren(...data.map((hit, i) => element("li", { id: `hit-${i}`, tabindex: 0 },
      element("p", { class: "when" }, `${hit.time} ${hit.source}${hit.page ? `, page ${hit.page}` : ""}`),
      element("p", {}, hit.text))));
    this.#draw(data);
  }

  #draw(hits) {
    const first = Math.min(...hits.map((hit) => hit.start_us));
    const last = Math.max(...hits.map((hit) => hit.end_us));
    const x = (us) => EDGE + ((us - first) / Math.max(last - first, 1)) * (WIDTH - 2 * EDGE);
    this.axis.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.axis.setAttribute("aria-label", hits.length ? `${hits.length} hits from ${dateOf(first)} to ${dateOf(last)}` : "No hits");
    const marks = hits.map((hit, i) => svg("rect", { class: "mark hit", x: x(hit.start_us).toFixed(1), y: 4, height: 18, rx: 1.5,
      width: Math.max(x(hit.end_us) - x(hit.start_us), 3).toFixed(1), "fill-opacity": i < 3 ? 1 : 0.55,
      click: () => this.hits.children[i].focus() }, svg("title", {}, `${hit.time} ${hit.text}`)));
    const ends = hits.length ? [[first, EDGE, "start"], [last, WIDTH - EDGE, "end"]] : [];
    this.axis.replaceChildren(...marks, ...ends.map(([us, at, anchor]) =>
      svg("text", { class: "tick-time", x: at, y: HEIGHT - 6, "text-anchor": anchor }, dateOf(us))));
  }
}

const dateOf = (us) => new Date(us / 1000).toISOString().slice(0, 19).replace("T", " ");

function rangeOf({ from_us: from, to_us: to, relative_to: event }) {
  if (event && event.record === null) return `; nothing like “${event.phrase}” was found`;
  const edges = [from === null ? "" : ` since ${dateOf(from)}`, to === null ? "" : ` before ${dateOf(to)}`].join("");
  return edges + (event ? ` (${event.relation} “${event.text}”)` : "");
}
