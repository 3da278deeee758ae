"""The `dominohall` command: one module a noun.

    dominohall serve                                     run the service
    dominohall demo                                      see it play, record, verify and catch a forger
    dominohall replay list | show | verify | step | export | redact | fork | fairness
    dominohall replay explain | judge | audit-hand | notation      answers with the rule
    dominohall rules PRESET                              the clauses, in English, Polish or Russian
    dominohall archive LOCATION                          move finished matches out of the store
    dominohall audit LOCATION                            judge every log of an archive, on all cores or many machines
    dominohall keys new | list | public | rotate | activate | retire

A module of a noun imports typer and nothing else that is heavy; what a command needs is imported inside it, so
`dominohall --help` and a shell's completion stay quick.
"""

from dominohall_service.command.app import main

__all__ = ["main"]
