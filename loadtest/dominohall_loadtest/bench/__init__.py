"""This product beside its peers, in ratios: `python -m dominohall_loadtest.bench`, or `make bench`.

Figures of a machine that others use drift by half, so nothing here is an absolute: what is compared takes turns in one
run, each figure is a ratio of neighbours, and the median of the rounds stands beside their spread. Every row of
`rows.py` is printed with its target and a verdict; what could not be measured says why.
"""
