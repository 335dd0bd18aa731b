"""A client of Braid's Realtime sessions: events, capture times, and how far the server's clock is from ours."""

from .drift import DriftClock
from .realtime import Closed, Realtime

__all__ = ["Closed", "DriftClock", "Realtime"]
