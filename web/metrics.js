// What /metrics says (Prometheus text format 0.0.4), as far as the page shows it.

/** name -> sum over its labels, without the prefix before ':'. */
export function parseMetrics(text) {
  const values = new Map();
  for (const line of text.split("\n")) {
    const found = /^(?:\w+:)?(\w+)(?:\{.*\})? (\S+)$/.exec(line);
    if (found) values.set(found[1], (values.get(found[1]) ?? 0) + Number(found[2]));
  }
  return values;
}

/** What is shown, as text by its caption. */
export function gaugesOf(values) {
  const shown = {};
  const show = (caption, name, write = String) => values.has(name) && (shown[caption] = write(values.get(name)));
  const percent = (share) => `${Math.round(100 * share)} %`;
  const mebibytes = (bytes) => `${(bytes / (1 << 20)).toFixed(1)} MiB`;
  show("answering", "num_requests_running");
  show("waiting", "num_requests_waiting");
  show("KV promised", "kv_cache_usage_perc", percent);
  show("webhooks waiting", "webhooks_waiting");
  show("connections", "http_connections_open");
  show("sessions' memory", "session_bytes", mebibytes);
  return shown;
}
