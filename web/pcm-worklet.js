// Runs on the browser's sound thread: what is heard as mono PCM16 at 24 kHz, 100 ms at a time.

const RATE = 24000;
const BLOCK = RATE / 10;

class Pcm extends AudioWorkletProcessor {
  constructor() {
    super();
    this.block = new Int16Array(BLOCK);
    this.filled = 0;
    this.sum = 0; // of the input samples of the output sample that is being made
    this.weight = 0;
    this.step = RATE / sampleRate; // output samples for an input sample
    this.place = 0; // of the output sample that is being made: 0..1 is past
  }

  // Each output sample is the mean of the input samples that it spans, which also keeps the worst of what is
  // above 12 kHz from folding back; below 24 kHz input, samples repeat.
  push(sample) {
    this.sum += sample;
    this.weight += 1;
    this.place += this.step;
    for (; this.place >= 1; this.place -= 1) {
      const mean = this.weight ? this.sum / this.weight : sample;
      this.block[this.filled++] = Math.round(Math.max(-1, Math.min(1, mean)) * 32767);
      this.sum = this.weight = 0;
      if (this.filled === BLOCK) this.send();
    }
  }

  send() {
    this.port.postMessage({ samples: this.block, end_s: currentTime }, [this.block.buffer]);
    this.block = new Int16Array(BLOCK);
    this.filled = 0;
  }

  process([channels]) {
    const length = channels[0]?.length ?? 0;
    for (let i = 0; i < length; ++i) {
      let sum = 0;
      for (const channel of channels) sum += channel[i];
      this.push(sum / channels.length);
    }
    return true;
  }
}

registerProcessor("pcm", Pcm);
