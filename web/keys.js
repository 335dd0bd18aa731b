// The page by keyboard alone.

const isTyping = (target) => target.closest("input, textarea, select") !== null;

export function keepKeys({ question, form, help, speak, cancel }) {
  question.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    form.requestSubmit();
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") return cancel();
    if (isTyping(event.target)) return;
    const act = { "/": () => question.focus(), "?": () => help.showModal(), m: speak }[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}
