// Pictures and sound of this machine: camera, microphone, screen or a file, each with its capture time.

import { fromBytes } from "./base64.js";

export const SOUND_RATE = 24000;
const LONGEST_SIDE = 1280; // of a picture that is sent; encoders take less

/** This page's clock, microseconds since 1970; doesn't jump when the system's is set. */
export const nowUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000);

/** Opens what `kind` names: {stream | file, picture, sound}. May ask the user; throws if that is refused. */
export async function open(kind, { withSound = false, file = null } = {}) {
  const devices = navigator.mediaDevices;
  if (kind !== "file" && !devices)
    throw new Error("the browser gives cameras and microphones to pages over https or on this machine only");
  if (kind === "camera")
    return opened(await devices.getUserMedia({ video: { width: { ideal: LONGEST_SIDE } }, audio: withSound }));
  if (kind === "microphone") return opened(await devices.getUserMedia({ audio: true }));
  if (kind === "screen") return openScreen(devices, withSound);
  if (!file) throw new Error("choose a file first");
  return { file, picture: !file.type.startsWith("audio/"), sound: !file.type.startsWith("image/") };
}

function opened(stream) {
  return { stream, picture: stream.getVideoTracks().length > 0, sound: stream.getAudioTracks().length > 0 };
}

async function openScreen(devices, withSound) {
  const stream = await devices.getDisplayMedia({ video: true });
  if (withSound)
    for (const track of (await devices.getUserMedia({ audio: true })).getAudioTracks()) stream.addTrack(track);
  return opened(stream);
}

/** One source while it runs. on: {frame({jpeg, width, height, at_us}), sound({samples, end_us}), end()}. */
export class Capture {
  constructor(source, video, framesPerSecond, on) {
    this.source = source;
    this.video = video;
    this.every = 1000 / framesPerSecond;
    this.on = on;
    this.canvas = document.createElement("canvas");
    this.open = true;
  }

  async start() {
    const { stream, file, picture, sound } = this.source;
    if (file?.type.startsWith("image/")) return this.#still(file);
    if (stream) {
      this.video.srcObject = stream;
      for (const track of stream.getTracks()) track.addEventListener("ended", () => this.#ended());
    } else {
      this.url = URL.createObjectURL(file);
      this.video.src = this.url;
      this.video.addEventListener("ended", () => this.#ended(), { once: true });
    }
    this.video.hidden = !picture;
    if (sound) await this.#listen();
    await this.video.play();
    const take = () => this.#frame(this.video, this.video.videoWidth, this.video.videoHeight);
    if (picture) this.timer = setInterval(take, this.every);
  }

  stop() {
    this.open = false;
    clearInterval(this.timer);
    this.context?.close();
    for (const track of this.source.stream?.getTracks() ?? []) track.stop();
    this.video.pause();
    this.video.removeAttribute("src");
    this.video.srcObject = null;
    this.video.hidden = true;
    if (this.url) URL.revokeObjectURL(this.url);
  }

  #ended() {
    if (!this.open) return;
    clearInterval(this.timer);
    this.on.end();
  }

  async #still(file) {
    const picture = await createImageBitmap(file);
    await this.#frame(picture, picture.width, picture.height);
    picture.close();
  }

  async #listen() {
    this.context = new AudioContext();
    await this.context.audioWorklet.addModule("pcm-worklet.js");
    const worklet = new AudioWorkletNode(this.context, "pcm", { numberOfOutputs: 0 });
    const { stream } = this.source;
    const { context, video } = this;
    const input = stream ? context.createMediaStreamSource(stream) : context.createMediaElementSource(video);
    // A file is listened to through the element, whose sound must not be off for that.
    this.video.muted = stream !== undefined;
    input.connect(worklet);
    if (!stream) input.connect(this.context.destination);
    const started = nowUs() - this.context.currentTime * 1e6;
    worklet.port.onmessage = ({ data }) =>
      this.open && this.on.sound({ samples: data.samples, end_us: Math.round(started + data.end_s * 1e6) });
    await this.context.resume();
  }

  async #frame(picture, width, height) {
    if (!width || this.encoding) return; // nothing yet, or the last one still takes its time
    this.encoding = true;
    const at_us = nowUs();
    const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    this.canvas.getContext("2d").drawImage(picture, 0, 0, this.canvas.width, this.canvas.height);
    const jpeg = await new Promise((done) => this.canvas.toBlob(done, "image/jpeg", 0.9));
    this.encoding = false;
    if (!jpeg || !this.open) return;
    this.on.frame({ jpeg: await bytesOf(jpeg), width: this.canvas.width, height: this.canvas.height, at_us });
  }
}

const bytesOf = async (blob) => fromBytes(new Uint8Array(await blob.arrayBuffer()));
