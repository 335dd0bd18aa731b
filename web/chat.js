// Questions over POST /v1/chat/completions: to a session in the server, or with pictures and sound of their own.

import { events } from "./api.js";

/**
 * Asks and yields {text} as it is made, then {account}: the last chunk's `braid` member (docs/json.md's fields).
 * session: its id, or null; pictures: [{url, at_us}]; sound: base64 of a WAV file, or null.
 */
export async function* ask({ text, session = null, pictures = [], sound = null, signal }) {
  const content = pictures.map(({ url, at_us }) => ({ type: "image_url", image_url: { url }, timestamp_us: at_us }));
  if (sound) content.push({ type: "input_audio", input_audio: { data: sound, format: "wav" } });
  if (text) content.push({ type: "text", text });
  const body = { model: "braid", stream: true, messages: [{ role: "user", content }] };
  if (session) body.braid = { session };
  for await (const { data } of events("POST", "/v1/chat/completions", { body, signal })) {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data);
    if (chunk.error) throw new Error(chunk.error.message);
    const piece = chunk.choices?.[0]?.delta?.content;
    if (piece) yield { text: piece };
    if (chunk.braid) yield { account: chunk.braid };
  }
}
