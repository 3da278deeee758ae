"""Version 1 of the wire, package `dominohall.v1`: one module for each `.proto` file."""
