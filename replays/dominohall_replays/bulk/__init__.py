"""Bulk re-simulation: every log of a folder, a bucket, an archive or a store judged, on many cores or machines.

    locations   where logs lie, and whether that is files or a store
    objects     files of a folder: listed, read, created; of a bucket, `bucket_objects`
    listing     everything that is to be judged, sorted on disk, in batches named without loading them
    reading     the bytes of a batch
    judging     one batch, by `verify`: a plain function from names to counts and faults
    findings    what a batch came to, as plain data
    results     what a batch came to, kept for the next run
    summary     what all batches came to; it does not matter in which order
    processes   batches on the cores of this machine
    cluster     batches on many machines, by dask.distributed
    auditing    all of it

A batch is described by what any machine reads itself, and its bytes lie in the memory of the process that judges it and
nowhere else.
"""

from dominohall_replays.bulk.auditing import audit
from dominohall_replays.bulk.summary import Summary

__all__ = ["Summary", "audit"]
