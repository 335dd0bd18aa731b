// The conversation as it is shown: a list of questions and their answers.

import { element } from "./dom.js";
import { summary } from "./waterfall.js";

const MOST = 200; // turns

export class Conversation {
  /** onOpen(count) hears how many answers are still being made. */
  constructor(list, onOpen) {
    this.list = list;
    this.onOpen = onOpen;
    this.open = 0;
  }

  /** A turn whose answer is to come. cancel: ends it early. */
  turn(question, cancel) {
    const turn = new Turn(question, cancel, () => this.onOpen(--this.open));
    this.onOpen(++this.open);
    this.list.append(turn.item);
    while (this.list.childElementCount > MOST) this.list.firstElementChild.remove();
    turn.onGrown = () => (this.list.scrollTop = this.list.scrollHeight);
    turn.onGrown();
    return turn;
  }

  /** Something that happened: no question, no answer. */
  note(text, isError = false) {
    this.list.append(element("li", { class: isError ? "note error" : "note" }, text));
    this.list.scrollTop = this.list.scrollHeight;
  }
}

class Turn {
  constructor(question, cancel, onEnd) {
    this.question = question;
    this.cancel = cancel;
    this.onEnd = onEnd;
    this.text = "";
    this.asked = element("p", { class: "question" }, question);
    this.answer = element("p", { class: "answer" });
    this.account = element("p", { class: "hint account" });
    this.item = element("li", { "aria-busy": "true" }, this.asked, this.answer, this.account);
  }

  append(piece) {
    this.text += piece;
    this.answer.textContent = this.text;
    this.onGrown();
  }

  rename(question) {
    this.question = question;
    this.asked.textContent = question;
  }

  /** Comes before or after end(). */
  explain(account) {
    this.account.textContent = summary(account);
    this.onGrown();
  }

  /** Once; error: why there is no more. */
  end(error = null) {
    if (this.ended) return;
    this.ended = true;
    this.item.removeAttribute("aria-busy");
    if (error) this.item.append(element("p", { class: "error" }, error));
    this.onGrown();
    this.onEnd();
  }
}
