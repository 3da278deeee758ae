"""Run the command as `python -m dominohall_service.command`, as the demo does for its own service."""

from dominohall_service.command import main

main()
