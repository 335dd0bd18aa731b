"""How far the server's clock is from ours, from clock.ping exchanges: the client's half of Braid's drift protocol."""

from typing import NamedTuple

ALPHA = 0.2  # of the newest exchange in the running means
OPEN_AFTER = 3  # exchanges that agree
MOST_VARIATION_US = 15_000  # of their round trips
LONGEST_ROUND_TRIP_US = 50_000
LONGEST_JUMP_US = 20_000  # of the offset
WANDER = 200e-6  # what two clocks may drift apart, per time passed
KEPT = 8  # exchanges
PING_OPEN_S = 2.0  # until the next exchange
PING_CLOSED_S = 0.25
PING_TIRED_S = 1.0  # when KEPT exchanges didn't open the window


class Estimate(NamedTuple):
    """Session time less client time, as an exchange or a mean of some tells it; it was so at client time `at_us`."""

    offset_us: float
    round_trip_us: float
    at_us: float

    def bound_us(self, client_us):
        """The truth is at most this far, if the clocks part by at most 200 ppm."""
        return self.round_trip_us / 2 + WANDER * max(0, client_us - self.at_us)

    def moved_to(self, other):
        """The running mean with one more."""
        return Estimate(*(mean + ALPHA * (new - mean) for mean, new in zip(self, other)))


class DriftClock:
    """The server's clock (session time) beside the client's, by running means over exchanges that can be trusted.

    The sync window is open while exchanges are quick and agree. One that took longer than 50 ms, or that tells an offset
    more than 20 ms away, closes it and changes nothing else. Three in a row whose round trips vary by less than 15 ms, and
    whose offsets by no more than 20 ms, open it again, at another offset if the old one no longer fits. While it is closed
    the last model goes on and its bound widens; what the last eight exchanges have in common takes its place where it agrees
    and is surer, or still contradicts it after three exchanges.
    Times are microseconds.
    """

    def __init__(self):
        self.is_open = False
        self.closed = 0  # how often the window was closed
        self.refused = 0  # exchanges that can't be
        self._model = None
        self._last = []  # the last KEPT exchanges
        self._agreeing = 0  # how many of them may open the window
        self._waited = 0  # exchanges since the window closed

    @property
    def ping_after_s(self):
        """How long to wait until the next exchange."""
        if self.is_open:
            return PING_OPEN_S
        return PING_CLOSED_S if self._waited < KEPT else PING_TIRED_S

    def exchange(self, t1_us, t2_us, t3_us, t4_us):
        """Sent at t1 and back at t4 by the client's clock; received at t2 and answered at t3 in session time."""
        round_trip = t4_us - t1_us - (t3_us - t2_us)
        if round_trip < 0 or t3_us < t2_us:
            self.refused += 1
            return
        told = Estimate((t2_us - t1_us + t3_us - t4_us) / 2, round_trip, t4_us)
        self._last = [*self._last[1 - KEPT:], told]
        if not self.is_open:
            self._wait(told)
        elif round_trip > LONGEST_ROUND_TRIP_US or abs(told.offset_us - self._model.offset_us) > LONGEST_JUMP_US:
            self.is_open = False
            self.closed += 1
            self._agreeing = self._waited = 0
        else:
            self._model = self._model.moved_to(told)

    def estimate(self, client_us):
        """(session time less client time, what it is off by at most), for this time of ours. None: not known yet."""
        if not self._last:
            return None
        model = (self._model.offset_us, self._model.bound_us(client_us)) if self._model else None
        if self.is_open:
            return model
        common = self._in_common(client_us)
        if model is None:
            return common
        if abs(common[0] - model[0]) > common[1] + model[1]:
            return common if self._waited >= OPEN_AFTER else model
        return min(model, common, key=lambda each: each[1])

    def session_us(self, client_us):
        """A time of ours in session time. None: not known yet."""
        best = self.estimate(client_us)
        return round(client_us + best[0]) if best else None

    def bound_us(self, client_us):
        """session_us is off by at most this. None: not known yet."""
        best = self.estimate(client_us)
        return best[1] if best else None

    def _in_common(self, client_us):
        """Each exchange says between which two offsets the truth lies; older ones count as long as they agree."""
        low = high = None
        for each in reversed(self._last):
            bound = each.bound_us(client_us)
            least, most = each.offset_us - bound, each.offset_us + bound
            if low is None:
                low, high = least, most
            elif max(low, least) > min(high, most):
                break
            else:
                low, high = max(low, least), min(high, most)
        return (low + high) / 2, (high - low) / 2

    def _wait(self, told):
        self._waited += 1
        if told.round_trip_us > LONGEST_ROUND_TRIP_US:
            self._agreeing = 0
            return
        self._agreeing = min(self._agreeing + 1, OPEN_AFTER)
        recent = self._last[-OPEN_AFTER:]
        if (self._agreeing < OPEN_AFTER or spread(each.round_trip_us for each in recent) >= MOST_VARIATION_US
                or spread(each.offset_us for each in recent) > LONGEST_JUMP_US):
            return
        quickest = min(recent, key=lambda each: each.round_trip_us)
        if self._model and abs(quickest.offset_us - self._model.offset_us) > LONGEST_JUMP_US:
            self._model = None
        for each in recent:
            self._model = self._model.moved_to(each) if self._model else each
        self.is_open = True


def spread(values):
    values = list(values)
    return max(values) - min(values)
