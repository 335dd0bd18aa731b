#!/usr/bin/env python3
"""update_docs.py TABLE PAGE: puts the table of the last full run between the page's two marks."""

import re
import sys

MARKED = re.compile(r"(<!-- table[^\n]*-->\n).*?(<!-- end of table -->)", re.S)


def updated(page, table):
    if not MARKED.search(page):
        raise ValueError("the page has no marks for a table")
    return MARKED.sub(lambda match: f"{match[1]}\n{table.strip()}\n\n{match[2]}", page)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], encoding="utf-8") as target:
        text = updated(target.read(), source.read())
    with open(sys.argv[2], "w", encoding="utf-8") as target:
        target.write(text)
