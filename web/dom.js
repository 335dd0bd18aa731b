// The few things about the document that every part needs. Text from outside goes in as text, never as markup.

export const byId = (id) => document.getElementById(id);

/** An element with attributes (functions: listeners; null and false: left out) and children. */
export function element(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** 83.1 -> "83 ms", 0.31 -> "0.3 ms". */
export const milliseconds = (ms) => (ms >= 10 ? Math.round(ms).toLocaleString("en") : ms.toFixed(1)) + " ms";

/** Session time in microseconds -> "12.4 s". */
export const seconds = (us) => (us / 1e6).toFixed(1) + " s";
