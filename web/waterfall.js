// Where the time of the last answers went: a table each, whose bars begin where the one before ended.

import { element, milliseconds, seconds } from "./dom.js";

const SHOWN = 4;
const STAGES = ["capture", "ingest", "sync", "encode_queue", "encode", "prefill_queue", "prefill", "retrieve",
  "schedule", "decode_first", "decode", "deliver", "unattributed"];
const MIN_MS = 0.05; // less than that would be shown as 0.0

export class Waterfalls {
  constructor(holder) {
    this.holder = holder;
  }

  /** account: ttft_ms, wall_ms, freshness_ms, stages_ms, verdict, deadline_ms, window, as in docs/json.md. */
  add(question, account) {
    this.holder.querySelector("p.hint")?.remove();
    this.holder.prepend(table(question, account));
    while (this.holder.childElementCount > SHOWN) this.holder.lastElementChild.remove();
  }
}

function table(question, account) {
  const rows = [];
  let before = 0;
  for (const stage of STAGES) {
    const ms = account.stages_ms[stage] ?? 0;
    if (ms >= MIN_MS) rows.push(row(stage, ms, before, account.wall_ms));
    before += ms;
  }
  return element("table", { class: "waterfall" },
    element("caption", {}, element("q", {}, question), " ", element("span", { class: "hint" }, summary(account))),
    element("thead", { class: "unseen" }, element("tr", {}, heading("Stage"), heading("Time"), heading("Share"))),
    element("tbody", {}, ...rows));
}

const heading = (text) => element("th", { scope: "col" }, text);

function row(stage, ms, before, wall) {
  const bar = element("span", { class: `bar ${stage}` });
  // Through the object model: the page's policy allows no style attributes.
  bar.style.marginLeft = `${(100 * before) / wall}%`;
  bar.style.width = `${(100 * ms) / wall}%`;
  return element("tr", { "data-stage": stage },
    element("th", { scope: "row" }, stage), element("td", { class: "number" }, milliseconds(ms)),
    element("td", { class: "track" }, bar));
}

export function summary(account) {
  const parts = [];
  if (account.ttft_ms !== null) parts.push(`first token ${milliseconds(account.ttft_ms)}`);
  parts.push(`all ${milliseconds(account.wall_ms)}`);
  if (account.freshness_ms) parts.push(`newest seen ${milliseconds(account.freshness_ms)} old`);
  if (account.verdict !== "none") parts.push(`deadline ${account.verdict}`);
  const { window } = account;
  if (window?.chunks) parts.push(`saw ${window.chunks} chunk${window.chunks === 1 ? "" : "s"}, ${seconds(window.from_us)} to ${seconds(window.to_us)}`);
  return parts.join(" · ");
}
