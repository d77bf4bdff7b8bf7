"""Follows a world whose file changes once: follow.py URL. Prints the chunks that have changed, and their first row."""

import sys

import terrane

PLACES = [(0, 0), (2, 0), (3, 0)]

ground = terrane.connect(sys.argv[1], "island", cache=False, patience=10)
digests = ground.digests(PLACES, size=32)
print("ready", flush=True)
for ground in ground.follow(every=float(sys.argv[2])):
    before, digests = digests, ground.digests(PLACES, size=32)
    changed = [place for place, old, new in zip(PLACES, before, digests) if old != new]
    print(ground.fingerprint, changed, ground.chunks(changed, size=32)["height"][0, 0, 5:9].tolist())
    break
