// Bytes as text, and sound as a file.

export function fromBytes(bytes) {
  let text = "";
  const PIECE = 0x8000; // arguments of one call are bounded
  for (let i = 0; i < bytes.length; i += PIECE) text += String.fromCharCode(...bytes.subarray(i, i + PIECE));
  return btoa(text);
}

/** PCM16, mono -> base64 of a WAV file (RIFF, 44 bytes of header). blocks: Int16Array each. */
export function wavOf(blocks, rate) {
  const samples = blocks.reduce((sum, block) => sum + block.length, 0);
  const bytes = new Uint8Array(44 + samples * 2);
  const view = new DataView(bytes.buffer);
  const word = (at, text) => [...text].forEach((c, i) => view.setUint8(at + i, c.charCodeAt(0)));
  word(0, "RIFF");
  view.setUint32(4, 36 + samples * 2, true);
  word(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  word(36, "data");
  view.setUint32(40, samples * 2, true);
  let at = 44;
  for (const block of blocks) for (const sample of block) view.setInt16((at += 2) - 2, sample, true);
  return fromBytes(bytes);
}
