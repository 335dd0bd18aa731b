// Joins the parts: what is perceived, what is asked, and what is shown of both.

import { getJson, onKeyNeeded } from "./api.js";
import { Capture, open } from "./capture.js";
import { Conversation } from "./conversation.js";
import { byId } from "./dom.js";
import { keepKeys } from "./keys.js";
import { ChatLink, RealtimeLink, SessionLink } from "./links.js";
import { MemorySearch } from "./memory.js";
import { Sessions } from "./sessions.js";
import { Timeline } from "./timeline.js";
import { Waterfalls } from "./waterfall.js";

const timeline = new Timeline(byId("strip"), byId("strip-mark"));
const waterfalls = new Waterfalls(byId("waterfalls"));
const openTurns = new Set();
const conversation = new Conversation(byId("log"), (open) => (byId("cancel").disabled = open === 0));
const sessions = new Sessions({ table: byId("sessions"), gauges: byId("gauges"), pick: byId("session-pick") },
  { choose: (id) => begin({ kind: "session", id }), failed: say });

new MemorySearch({ form: byId("memory-form"), text: byId("memory-text"), axis: byId("memory-axis"), hits: byId("memory-hits"),
  state: byId("memory-state") });

let link = null; // to what is asked
let capture = null; // of this machine's source
let spoken = null; // {blocks, capture}: what is being said

function say(text) {
  byId("state").textContent = text;
}

const ui = {
  turn(question, cancel) {
    const turn = conversation.turn(question, cancel);
    openTurns.add(turn);
    return turn;
  },
  explain(turn, account) {
    turn.explain(account);
    waterfalls.add(turn.question, account);
  },
  object: (object) => timeline.add(object),
  kept(object, reason) {
    Object.assign(object, { kept: true, reason });
    timeline.changed(object);
  },
  note: (text, isError) => conversation.note(text, isError),
  speech: (isOn) => (byId("capture-state").textContent = isOn ? "hears speech" : ""),
  lost(text) {
    conversation.note(text, true);
    end();
  },
};

/** What was before ends first. wanted: {kind, id?, file?, over, rate, withSound}. */
async function begin(wanted) {
  end();
  timeline.clear();
  try {
    if (wanted.kind === "session") {
      link = new SessionLink(ui, wanted.id || (await sessions.create(wanted.source)));
      byId("session-pick").value = link.id;
    } else {
      await beginCapture(wanted);
    }
    say(`${wanted.kind === "session" ? link.id : wanted.kind}: running`);
  } catch (error) {
    end();
    say("");
    conversation.note(error.message, true);
  }
  showState();
}

async function beginCapture({ kind, file, over, rate, withSound }) {
  const source = await open(kind, { file, withSound });
  const made = over === "realtime"
    ? new RealtimeLink(ui, kind, { answersSpeech: kind !== "file" })
    : new ChatLink(ui, kind);
  link = made;
  await made.ready;
  const on = {
    frame: (frame) => made.frame(frame),
    sound: (sound) => heard(made, sound),
    end: () => (byId("capture-state").textContent = "the source has ended; questions about it may still be asked"),
  };
  capture = new Capture(source, byId("preview"), rate, on);
  await capture.start();
}

function heard(made, sound) {
  if (spoken) spoken.blocks.push(sound.samples);
  made.sound(sound);
}

function end() {
  for (const turn of openTurns) if (!turn.ended) turn.cancel();
  openTurns.clear();
  stopSpeaking();
  capture?.stop();
  link?.close();
  capture = link = null;
  byId("capture-state").textContent = "";
  showState();
}

function showState() {
  byId("stop").disabled = !link;
  byId("send").disabled = !link;
  byId("speak").disabled = !link?.canSpeak;
  if (!link) say("choose a source and start it");
}

/** Chat: records, and sends what was said when asked again. Realtime: opens a microphone, if none is open. */
async function speak() {
  if (byId("speak").disabled) return;
  if (spoken) return finishSpeaking();
  spoken = { blocks: [], capture: null };
  byId("speak").setAttribute("aria-pressed", "true");
  try {
    if (capture?.source.sound && capture.source.stream) return;
    const on = { sound: (sound) => link && heard(link, sound), end: () => {} };
    spoken.capture = new Capture(await open("microphone"), document.createElement("video"), 1, on);
    await spoken.capture.start();
  } catch (error) {
    stopSpeaking();
    conversation.note(error.message, true);
  }
}

function finishSpeaking() {
  const { blocks } = spoken;
  stopSpeaking();
  if (link instanceof ChatLink && blocks.length) link.ask(takeQuestion(), blocks);
}

function stopSpeaking() {
  spoken?.capture?.stop();
  spoken = null;
  byId("speak").setAttribute("aria-pressed", "false");
}

function takeQuestion() {
  const text = byId("question").value.trim();
  byId("question").value = "";
  return text;
}

function cancel() {
  for (const turn of openTurns) if (!turn.ended) turn.cancel();
  openTurns.clear();
}

function showKind() {
  const kind = new FormData(byId("source-form")).get("kind");
  for (const part of document.querySelectorAll("[data-for]")) part.hidden = !part.dataset.for.split(" ").includes(kind);
  const picked = byId("session-pick").value !== "";
  byId("session-source").disabled = picked;
  byId("session-source").title = picked ? "First choose the last entry of Session, a new one" : "";
}

function listen() {
  byId("source-form").addEventListener("change", showKind);
  byId("source-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const kind = new FormData(event.target).get("kind");
    begin({ kind, id: byId("session-pick").value, source: byId("session-source").value.trim(),
      file: byId("file-pick").files[0], over: byId("over").value, rate: Number(byId("rate").value),
      withSound: byId("with-sound").checked });
  });
  byId("stop").addEventListener("click", end);
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!link) return;
    const text = takeQuestion();
    if (text) link.ask(text);
  });
  byId("speak").addEventListener("click", speak);
  byId("cancel").addEventListener("click", cancel);
  keepKeys({ question: byId("question"), form: byId("ask"), help: byId("help"), speak, cancel });
  byId("help-button").addEventListener("click", () => byId("help").showModal());
}

let keyWasGiven = false;

/** Resolves to the key, "" if the user has none. */
function askForKey() {
  const dialog = byId("key-dialog");
  if (keyWasGiven) byId("key-title").textContent = "The server refused that key; it needs another";
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      keyWasGiven = dialog.returnValue === "use";
      resolve(keyWasGiven ? byId("key").value : "");
      byId("key").value = "";
    }, { once: true });
    if (!dialog.open) dialog.showModal();
  });
}

async function main() {
  onKeyNeeded(askForKey);
  listen();
  showState();
  try {
    byId("model").textContent = (await getJson("/v1/models")).data[0].id;
  } catch (error) {
    say(error.message);
  }
  await sessions.start();
  showKind();
  // The one that the server was started with, most likely.
  if (sessions.known.length) begin({ kind: "session", id: sessions.known[0].id });
}

main();
