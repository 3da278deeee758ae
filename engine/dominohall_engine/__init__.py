"""The rules of dominoes as pure functions: `from dominohall_engine import forty_two, fives`.

Each game is a module with the same functions (`game.Game` is their shape). Importing this package alone imports no
game; nothing here needs anything but Python.
"""
