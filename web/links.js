// Ways from this page to the model. Each has frame(), sound(), ask(text, sound) and close(), and reports through
// `ui`: turn(question, cancel) opens a turn, explain(turn, account) its stages, object(o) a timeline object
// (docs/json.md), note(text, isError), speech(isOn).

import { key, events } from "./api.js";
import { ask } from "./chat.js";
import { SOUND_RATE, nowUs } from "./capture.js";
import { wavOf } from "./base64.js";
import { Realtime } from "./realtime.js";

const AGAIN_MS = 2000;
// Why a response is not complete, in words.
const REASONS = { turn_detected: "interrupted: somebody spoke", client_cancelled: "cancelled",
  max_output_tokens: "cut at the longest answer" };

/** What happens in a session in the server, until `signal`; comes back after a break with what was missed. */
export async function watchSession(id, onObject, signal) {
  let last = "";
  while (!signal.aborted) {
    try {
      const headers = last ? { "Last-Event-ID": last } : {};
      for await (const event of events("GET", `/v1/sessions/${id}/events`, { headers, signal })) {
        last = event.id;
        onObject(JSON.parse(event.data));
      }
      return; // the session has ended
    } catch (error) {
      if (signal.aborted || error.status === 404) return;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
    }
  }
}

async function askByChat(ui, question, request) {
  const abort = new AbortController();
  const turn = ui.turn(question, () => abort.abort());
  let account = null;
  try {
    for await (const piece of ask({ ...request, signal: abort.signal })) {
      if (piece.text) turn.append(piece.text);
      if (piece.account) account = piece.account;
    }
    turn.end();
    if (account) ui.explain(turn, account);
  } catch (error) {
    turn.end(abort.signal.aborted ? "cancelled" : error.message);
  }
  return { turn, account };
}

/** A session that lives in the server, with sources of its own. */
export class SessionLink {
  canSpeak = false;

  constructor(ui, id) {
    this.ui = ui;
    this.id = id;
    this.abort = new AbortController();
    watchSession(id, (object) => ui.object(object), this.abort.signal);
  }

  ask(text) {
    return askByChat(this.ui, text, { text, session: this.id });
  }

  close() {
    this.abort.abort();
  }
}

/** The last pictures travel with each question. */
export class ChatLink {
  canSpeak = true;
  static PICTURES = 4;

  constructor(ui, source) {
    this.ui = ui;
    this.source = source;
    this.started_us = nowUs();
    this.pictures = [];
  }

  frame({ jpeg, width, height, at_us }) {
    const at = at_us - this.started_us;
    const object = { type: "frame", source: this.source, at_us: at, width, height, kept: false, reason: "not sent" };
    this.pictures.push({ url: `data:image/jpeg;base64,${jpeg}`, at_us: at, object });
    if (this.pictures.length > ChatLink.PICTURES) this.pictures.shift();
    this.ui.object(object);
  }

  sound() {}

  /** blocks: Int16Array each, what was said. */
  async ask(text, blocks = null) {
    const asked_at_us = nowUs() - this.started_us;
    for (const { object } of this.pictures) this.ui.kept(object, "sent");
    const sound = blocks && wavOf(blocks, SOUND_RATE);
    if (blocks) this.ui.object(this.#utterance(blocks, asked_at_us));
    const question = text || "(spoken)";
    const { turn, account } = await askByChat(this.ui, question, { text, sound, pictures: this.pictures });
    const wall_ms = account?.wall_ms ?? (nowUs() - this.started_us - asked_at_us) / 1000;
    const finish = account ? "stop" : "error";
    this.ui.object({ type: "answer", question, text: turn.text, asked_at_us, wall_ms, finish });
  }

  #utterance(blocks, end_us) {
    const samples = blocks.reduce((sum, block) => sum + block.length, 0);
    const start_us = Math.max(0, end_us - (samples * 1e6) / SOUND_RATE);
    return { type: "utterance", source: "microphone", start_us, end_us, kept: true, reason: "sent" };
  }

  close() {}
}

/** All is perceived as it is captured, by a session of this connection. */
export class RealtimeLink {
  canSpeak = true;

  /** answersSpeech: what is said is a question; else it is only heard. */
  constructor(ui, source, { answersSpeech = false } = {}) {
    this.ui = ui;
    this.source = source;
    this.asked = []; // turns whose response has not begun
    this.turns = new Map(); // by response
    this.abort = new AbortController();
    this.client = new Realtime(this.#listeners(), { key: key.get() });
    const turn_detection = { type: "server_vad", create_response: answersSpeech, interrupt_response: answersSpeech };
    this.ready = this.client.session.then(() => this.client.update({ audio: { input: { turn_detection } } }));
  }

  frame({ jpeg, at_us }) {
    this.client.picture(jpeg, at_us, this.source);
  }

  sound({ samples }) {
    this.client.sound(samples);
  }

  ask(text) {
    this.asked.push(this.ui.turn(text, () => this.client.cancel()));
    this.client.ask(text);
  }

  close() {
    this.abort.abort();
    this.client.close();
  }

  #listeners() {
    const { ui, turns } = this;
    return {
      opened: (id) => watchSession(id, (object) => ui.object(object), this.abort.signal),
      began: (id) => turns.set(id, this.asked.shift() ?? ui.turn("(spoken)", () => this.client.cancel())),
      text: (id, piece) => turns.get(id)?.append(piece),
      ended: (id, status, message) =>
        turns.get(id)?.end(status === "completed" ? null : (REASONS[message] ?? message ?? status)),
      stages: (id, account) => {
        const turn = turns.get(id);
        turns.delete(id);
        if (turn) ui.explain(turn, account);
      },
      transcript: (_, text) => ui.note(`heard: ${text}`),
      speech: (isOn) => ui.speech(isOn),
      failed: (message) => ui.note(message, true),
      closed: () => this.#closed(),
    };
  }

  #closed() {
    for (const turn of [...this.asked, ...this.turns.values()]) turn.end("the connection ended");
    this.asked = [];
    this.turns.clear();
    if (!this.abort.signal.aborted) this.ui.lost("the Realtime connection ended");
  }
}
