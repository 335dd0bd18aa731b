// HTTP to the server that this page came from: JSON and server-sent events.

const KEY = "braid-key";

export const key = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

/** What the server said about a request that it refused. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

let askForKey = async () => "";

/** `ask` gives a key or "", when the server wants one. */
export function onKeyNeeded(ask) {
  askForKey = ask;
}

async function send(method, path, { body, signal, headers = {} } = {}) {
  const authorisation = key.get() ? { Authorization: `Bearer ${key.get()}` } : {};
  const type = body === undefined ? {} : { "Content-Type": "application/json" };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const all = { ...type, ...authorisation, ...headers };
  const response = await fetch(path, { method, signal, headers: all, body: text, cache: "no-store" });
  if (response.ok) return response;
  const answer = await response.text();
  if (response.status === 401) {
    const given = await askForKey();
    if (given) {
      key.set(given);
      return send(method, path, { body, signal, headers });
    }
  }
  let message = `${method} ${path}: ${response.status}`;
  try {
    message = JSON.parse(answer).error.message;
  } catch {
    // Not one of ours, a proxy's perhaps: the status has to do.
  }
  throw new Refused(response.status, message);
}

export const getText = async (path) => (await send("GET", path)).text();
export const getJson = async (path) => (await send("GET", path)).json();
export const postJson = async (path, body) => (await send("POST", path, { body })).json();
export const remove = async (path) => (await send("DELETE", path)).json();

/** Yields {id, data} of each event (WHATWG HTML, "Server-sent events"), until the stream ends. */
export async function* events(method, path, options = {}) {
  const response = await send(method, path, options);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = parseEvent(block);
        if (event.data) yield event;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function parseEvent(block) {
  const event = { id: "", data: "" };
  const lines = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("data:")) lines.push(line.slice(5).replace(/^ /, ""));
    else if (line.startsWith("id:")) event.id = line.slice(3).trim();
  }
  event.data = lines.join("\n");
  return event;
}
