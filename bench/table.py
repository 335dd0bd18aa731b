"""Figures from samples, and the table of them."""

import statistics


def summary(values):
    return {"median": statistics.median(values), "min": min(values), "max": max(values), "n": len(values)}


def text_of(entry, digits=1):
    return f"{entry['median']:.{digits}f} ({entry['min']:.{digits}f} – {entry['max']:.{digits}f})"


def ratio(ours, theirs):
    return theirs["median"] / ours["median"]


class Table:
    """Rows of what, ours, peer's, ratio or share, goal and whether it is met."""

    def __init__(self):
        self.rows = []

    def add(self, what, ours, peer="", ratio_text="", goal="", met=None):
        self.rows.append((what, ours, peer, ratio_text, goal, {None: "", True: "yes", False: "NO"}[met]))

    def against(self, what, ours, peer, goal, digits=1, goal_text=None):
        """Both in time: the ratio says how many times shorter ours is."""
        value = ratio(ours, peer)
        met = None if goal is None else value >= goal
        self.add(what, text_of(ours, digits), text_of(peer, digits), f"{value:.2f}x", goal_text or (f">= {goal}x" if goal else ""), met)

    def at_most(self, what, value, text, goal, unit=""):
        self.add(what, text, "", "", f"<= {goal}{unit}", value <= goal)

    def markdown(self):
        head = ("measure", "Braid", "llama.cpp", "ratio or share", "goal", "met")
        widths = [max(len(row[i]) for row in [head, *self.rows]) for i in range(len(head))]
        line = lambda row: "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
        return "\n".join([line(head), "| " + " | ".join("-" * width for width in widths) + " |", *map(line, self.rows)])
