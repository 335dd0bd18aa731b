// The server's sessions and gauges, asked for every few seconds while the page is in sight.

import { getJson, getText, postJson, remove } from "./api.js";
import { element, seconds } from "./dom.js";
import { gaugesOf, parseMetrics } from "./metrics.js";

const EVERY_MS = 2000;

export class Sessions {
  /** on: choose(id), failed(message). */
  constructor({ table, gauges, pick }, on) {
    this.body = table.querySelector("tbody");
    this.gauges = gauges;
    this.pick = pick;
    this.on = on;
    this.known = [];
    this.shown = "";
  }

  start() {
    setInterval(() => document.hidden || this.refresh(), EVERY_MS);
    return this.refresh();
  }

  async refresh() {
    if (this.asking) return;
    this.asking = true;
    try {
      this.known = (await getJson("/v1/sessions")).data;
      this.#show();
      this.#gauge(parseMetrics(await getText("/metrics")));
    } catch (error) {
      this.on.failed(error.message);
    } finally {
      this.asking = false;
    }
  }

  /** One on `source`, as `braid watch` takes it. */
  async create(source) {
    const made = await postJson("/v1/sessions", { sources: [source] });
    await this.refresh();
    return made.id;
  }

  async end(id) {
    try {
      await remove(`/v1/sessions/${id}`);
    } catch (error) {
      this.on.failed(error.message);
    }
    return this.refresh();
  }

  #show() {
    const now = JSON.stringify(this.known);
    if (now === this.shown) return; // keeps the focus where it is
    this.shown = now;
    const focused = document.activeElement?.dataset?.session;
    this.body.replaceChildren(...this.known.map((session) => this.#row(session)));
    if (focused) this.body.querySelector(`button[data-session="${CSS.escape(focused)}"]`)?.focus();
    const picked = this.pick.value;
    this.pick.replaceChildren(...this.known.map((session) => element("option", { value: session.id }, title(session))),
      element("option", { value: "" }, "a new one"));
    if (this.known.some((session) => session.id === picked)) this.pick.value = picked;
  }

  #row(session) {
    const { id, window } = session;
    const button = (text, act) => {
      const name = `${text} ${id}`;
      return element("button", { type: "button", click: act, "data-session": name, "aria-label": name }, text);
    };
    return element("tr", {},
      element("th", { scope: "row" }, element("code", { title: id }, id.slice(0, 13)), ` ${session.state}`),
      element("td", {}, session.sources.map((source) => source.name).join(", ") || "–"),
      element("td", { class: "number" }, `${session.kept} of ${session.perceived}`),
      element("td", { class: "number" }, `${window.tokens} tokens to ${seconds(window.to_us)}`),
      element("td", { class: "row" }, button("Watch", () => this.on.choose(id)), button("End", () => this.end(id))));
  }

  #gauge(metrics) {
    const sum = (value) => this.known.reduce((total, session) => total + value(session), 0);
    const perceived = sum((session) => session.perceived);
    const shown = {
      sessions: this.known.length,
      perceived,
      kept: perceived ? `${Math.round((100 * sum((session) => session.kept)) / perceived)} %` : "–",
      ...gaugesOf(metrics),
    };
    this.gauges.replaceChildren(...Object.entries(shown).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, String(value)))));
  }
}

function title(session) {
  const sources = session.sources.map((source) => source.name).join(", ");
  return sources ? `${sources} (${session.id.slice(0, 13)})` : session.id;
}
