// One Realtime session over a WebSocket: OpenAI's GA events and Braid's own (docs/realtime.md).

import { fromBytes } from "./base64.js";
import { nowUs } from "./capture.js";
import { ClockSync } from "./clock.js";

const PONG_WITHIN_MS = 5000; // else the next ping goes out without it
const OPENS_WITHIN_MS = 10000;
const MOST_SOURCES = 32; // that one ping may name
const MOST_WAITING = 1 << 20; // bytes that the socket may hold before pictures are left out

/**
 * Listeners, all optional: opened(sessionId), began(responseId), text(responseId, piece), ended(responseId, status,
 * message), stages(responseId, account), transcript(itemId, text), speech(isOn), failed(message), closed().
 */
export class Realtime {
  constructor(listeners, { key = "", model = "braid" } = {}) {
    this.on = listeners;
    this.clock = new ClockSync();
    this.skipped = 0;
    this.waiting = []; // items that are still to be asked; undefined: nothing but a response is wanted
    this.answering = null;
    this.sources = new Set(); // that are stamped by this page's clock
    const protocols = ["realtime"];
    if (key) protocols.push(`openai-insecure-api-key.${key}`);
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const path = `/v1/realtime?model=${encodeURIComponent(model)}`;
    this.socket = new WebSocket(`${scheme}//${location.host}${path}`, protocols);
    this.socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(data)));
    this.socket.addEventListener("close", () => this.#closed());
    this.session = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      this.late = setTimeout(() => this.close(), OPENS_WITHIN_MS);
    });
  }

  /** `session` as in session.update; the type is added. */
  update(session) {
    this.#send({ type: "session.update", session: { type: "realtime", output_modalities: ["text"], ...session } });
  }

  /** jpeg: base64. False: left out, since earlier ones still wait to be sent. */
  picture(jpeg, captured_us, source) {
    if (this.socket.bufferedAmount > MOST_WAITING) {
      ++this.skipped;
      return false;
    }
    this.sources.add(source);
    this.#send({ type: "input_video_buffer.append", image: jpeg, capture_ts_us: captured_us, source });
    return true;
  }

  /** samples: Int16Array at 24 kHz. Never left out: the session's clock counts them. */
  sound(samples) {
    this.#send({ type: "input_audio_buffer.append", audio: fromBytes(new Uint8Array(samples.buffer)) });
  }

  /** What was said since the last commit is an item and is answered. For sessions without turn detection. */
  commit() {
    this.#send({ type: "input_audio_buffer.commit" });
    this.#respond();
  }

  ask(text) {
    const item = { type: "message", role: "user", content: [{ type: "input_text", text }] };
    this.#respond(item);
  }

  cancel() {
    this.#send({ type: "response.cancel" });
  }

  close() {
    this.socket.close();
  }

  /** A conversation has one response at a time, and what is spoken begins some too: what is asked meanwhile waits. */
  #respond(item) {
    this.waiting.push(item);
    this.#nextResponse();
  }

  #nextResponse() {
    if (this.answering || this.waiting.length === 0) return;
    const item = this.waiting.shift();
    if (item) this.#send({ type: "conversation.item.create", item });
    this.#send({ type: "response.create", event_id: "asked" });
    this.answering = "asked";
  }

  /** One that was spoken was begun just before ours: it ends first. */
  #refused(event) {
    if (event.error.code !== "conversation_already_has_active_response") {
      if (event.error.event_id === "asked") this.answering = null;
      return this.on.failed?.(event.error.message);
    }
    this.waiting.unshift(undefined);
  }

  #send(event) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(event));
  }

  #ping() {
    // With the last pong's arrival the server knows that exchange too.
    const sources = [...this.sources].slice(0, MOST_SOURCES);
    this.#send({ type: "clock.ping", t1_us: nowUs(), pong_us: this.pongUs, sources });
    this.#pingAfter(PONG_WITHIN_MS);
  }

  #pingAfter(ms) {
    clearTimeout(this.nextPing);
    this.nextPing = setTimeout(() => this.#ping(), ms);
  }

  #pong(event) {
    this.pongUs = nowUs();
    this.clock.pong(event, this.pongUs);
    this.#pingAfter(this.clock.pingAfterMs);
  }

  #closed() {
    clearTimeout(this.late);
    clearTimeout(this.nextPing);
    this.reject(new Error("the server closed the Realtime connection"));
    this.session.catch(() => {}); // whoever waits for it hears; nobody has to
    this.on.closed?.();
  }

  #take(event) {
    const take = {
      "session.created": () => {
        clearTimeout(this.late);
        this.#ping();
        this.resolve(event.session.id);
        this.on.opened?.(event.session.id);
      },
      "response.created": () => {
        this.answering = event.response.id;
        this.on.began?.(event.response.id);
      },
      "response.output_text.delta": () => this.on.text?.(event.response_id, event.delta),
      "response.done": () => {
        this.on.ended?.(event.response.id, event.response.status,
          event.response.status_details?.error?.message ?? event.response.status_details?.reason);
        this.answering = null;
        this.#nextResponse();
      },
      "braid.stages": () => this.on.stages?.(event.response_id, event.braid),
      "input_audio_buffer.speech_started": () => this.on.speech?.(true),
      "input_audio_buffer.speech_stopped": () => this.on.speech?.(false),
      "conversation.item.input_audio_transcription.completed": () =>
        this.on.transcript?.(event.item_id, event.transcript),
      "clock.pong": () => this.#pong(event),
      error: () => this.#refused(event),
    }[event.type];
    take?.();
  }
}
