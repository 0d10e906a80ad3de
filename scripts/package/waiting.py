# SPDX-License-Identifier: Apache-2.0
"""Waits for what others do, with a deadline."""

import time


def until(holds, otherwise, seconds=60.0):
    """Returns what `holds` returns once it is true. After too long a time it raises what `otherwise` returns as a text."""
    last = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > last:
            raise TimeoutError(f"after {seconds:.0f} s: {otherwise()}")
        time.sleep(0.02)
