// How far the server's clock is from this page's (Mills 1985, RFC 958: four timestamps).

const ALPHA = 0.2; // of the newest measurement in the running mean

export class ClockSync {
  offset_us = null; // server's minus ours
  round_trip_us = null;

  /** pong: t1_us (our sending), t2_us (the server's receipt), t3_us (its sending); t4_us: our receipt. */
  pong({ t1_us, t2_us, t3_us }, t4_us) {
    this.offset_us = mean(this.offset_us, (t2_us - t1_us + (t3_us - t4_us)) / 2);
    this.round_trip_us = mean(this.round_trip_us, t4_us - t1_us - (t3_us - t2_us));
  }
}

const mean = (old, now) => (old === null ? now : old + ALPHA * (now - old));
