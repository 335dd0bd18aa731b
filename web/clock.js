// How far the server's clock is from this page's: the client's half of Braid's drift protocol, as in
// clients/python/braid_client/drift.py, which says how it works; tests/data/drift.json holds both to the same answers.

const ALPHA = 0.2; // of the newest exchange in the running means
const OPEN_AFTER = 3; // exchanges that agree
const MOST_VARIATION_US = 15_000; // of their round trips
const LONGEST_ROUND_TRIP_US = 50_000;
const LONGEST_JUMP_US = 20_000; // of the offset
const WANDER = 200e-6; // what two clocks may drift apart, per time passed
const KEPT = 8; // exchanges
const PING_OPEN_MS = 2000; // until the next exchange
const PING_CLOSED_MS = 250;
const PING_TIRED_MS = 1000; // when KEPT exchanges didn't open the window

/** Session time less this page's time, by exchanges that are quick and agree. Times are µs. */
export class ClockSync {
  open = false;
  closed = 0; // how often the window was closed
  refused = 0; // exchanges that can't be
  #model = null; // {offset, trip, at}: running means
  #last = []; // the last KEPT exchanges, the newest first
  #agreeing = 0; // how many of them may open the window
  #waited = 0; // exchanges since the window closed

  get pingAfterMs() {
    if (this.open) return PING_OPEN_MS;
    return this.#waited < KEPT ? PING_CLOSED_MS : PING_TIRED_MS;
  }

  /** pong: t1_us (our sending), t2_us (the server's receipt), t3_us (its sending); t4_us: our receipt. */
  pong({ t1_us, t2_us, t3_us }, t4_us) {
    const told = { offset: (t2_us - t1_us + (t3_us - t4_us)) / 2, trip: t4_us - t1_us - (t3_us - t2_us), at: t4_us };
    if (!(told.trip >= 0 && t3_us >= t2_us)) {
      ++this.refused;
      return;
    }
    this.#last = [told, ...this.#last].slice(0, KEPT);
    if (!this.open) {
      this.#wait(told);
    } else if (told.trip > LONGEST_ROUND_TRIP_US || Math.abs(told.offset - this.#model.offset) > LONGEST_JUMP_US) {
      this.open = false;
      ++this.closed;
      this.#agreeing = this.#waited = 0;
    } else {
      this.#model = moved(this.#model, told);
    }
  }

  /** {offset_us, bound_us} at this time of ours; null: not known yet. */
  estimate(client_us) {
    if (this.#last.length === 0) return null;
    const model = this.#model && { offset_us: this.#model.offset, bound_us: bound(this.#model, client_us) };
    if (this.open) return model;
    const common = this.#inCommon(client_us);
    if (!model) return common;
    if (Math.abs(common.offset_us - model.offset_us) > common.bound_us + model.bound_us) {
      return this.#waited >= OPEN_AFTER ? common : model;
    }
    return common.bound_us < model.bound_us ? common : model;
  }

  #inCommon(client_us) {
    let low = -Infinity;
    let high = Infinity;
    for (const each of this.#last) {
      const least = Math.max(low, each.offset - bound(each, client_us));
      const most = Math.min(high, each.offset + bound(each, client_us));
      if (least > most) break;
      [low, high] = [least, most];
    }
    return { offset_us: (low + high) / 2, bound_us: (high - low) / 2 };
  }

  #wait(told) {
    ++this.#waited;
    this.#agreeing = told.trip > LONGEST_ROUND_TRIP_US ? 0 : this.#agreeing + 1;
    const recent = this.#last.slice(0, OPEN_AFTER).reverse();
    if (this.#agreeing < OPEN_AFTER || spread(recent.map((each) => each.trip)) >= MOST_VARIATION_US ||
        spread(recent.map((each) => each.offset)) > LONGEST_JUMP_US) return;
    const quickest = recent.reduce((best, each) => (each.trip < best.trip ? each : best));
    if (this.#model && Math.abs(quickest.offset - this.#model.offset) > LONGEST_JUMP_US) this.#model = null;
    for (const each of recent) this.#model = this.#model ? moved(this.#model, each) : each;
    this.open = true;
  }
}

const bound = ({ trip, at }, client_us) => trip / 2 + WANDER * Math.max(0, client_us - at);
const spread = (values) => Math.max(...values) - Math.min(...values);
const moved = (old, now) => ({
  offset: old.offset + ALPHA * (now.offset - old.offset),
  trip: old.trip + ALPHA * (now.trip - old.trip),
  at: old.at + ALPHA * (now.at - old.at),
});
