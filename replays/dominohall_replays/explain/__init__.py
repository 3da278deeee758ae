"""Answers with the rule: one move or one round of a log, what could be done, what was done, and the clause for each.

`explain` gives a frozen value that says everything; `explanation_to_plain` gives it to programs, `page_of` as a
document that `html.to_html` and the command draw.
"""

from dominohall_replays.explain.explanation import NothingToExplain, explain
from dominohall_replays.explain.values import Explanation, explanation_to_plain

__all__ = ["Explanation", "NothingToExplain", "explain", "explanation_to_plain"]
