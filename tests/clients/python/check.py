"""The Python package against a server, libterrane and plain HTTP: check.py URL CACHE WORLDS."""

import concurrent.futures
import doctest
import importlib
import json
import os
import sys
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
import terrane

URL, CACHE, WORLDS = sys.argv[1:]
BOX = (-5488800, -12549616, -5488400, -12549300)
PLACES = np.random.default_rng(7).uniform(-1e5, 1e5, (500, 2))


def expect_error(words, action, status=0):
    try:
        action()
    except terrane.TerraneError as error:
        assert words in str(error) and error.status == status, (str(error), error.status)
    else:
        raise AssertionError(f"no error that says {words}")


def raw(path, body=None):
    with urllib.request.urlopen(URL + path, body) as response:
        return response.read()


def doctests():
    for name in ["ground", "local"]:
        result = doctest.testmod(importlib.import_module(f"terrane.{name}"))
        assert result.failed == 0 and result.attempted >= 4, result


def same_bits():
    """What plain HTTP says, the package says, and libterrane computes."""
    server, local = terrane.connect(URL, "terra", cache=CACHE), terrane.load(f"{WORLDS}/terra.json")
    assert server.fingerprint == local.fingerprint and server.layer_names == local.layer_names
    layers = ["height", "water_level", "biome"]
    body = json.dumps({"points": PLACES.tolist(), "layers": layers}).encode()
    plain = json.loads(raw("/worlds/terra/heights", body))["samples"]
    for ground in (server, local):
        points = ground.points(PLACES, layers)
        assert points.dtype.names == tuple(layers) and points.shape == (500,)
        for layer in layers:
            assert (points[layer] == np.array(plain[layer], dtype=np.float32)).all(), layer
    assert (server.points(PLACES, zoom=9) == local.points(PLACES, zoom=9)).all()
    chunk = np.frombuffer(raw("/worlds/terra/chunks/-3/5.r32f?size=20&step=4&layers=height,biome"), "<f4").reshape(2, 21, 21)
    for ground in (server, local):
        found = ground.chunk(-3, 5, size=20, step=4, layers=["height", "biome"])
        assert (found["height"] == chunk[0]).all() and (found["biome"] == chunk[1]).all()
        many = ground.chunks([(-3, 5), (-2, 5)], size=20, step=4)
        assert (many["height"][0, :, 20] == many["height"][1, :, 0]).all()
    for step in (0.5, 2, 32):
        assert (server.heights(BOX, step) == local.heights(BOX, step)).all()
    boxes = server.samples((-100.25, 30, -100, 31), 0.25, ["height"]), local.samples((-100.25, 30, -100, 31), 0.25, ["height"])
    assert boxes[0].shape == (5, 2) and (boxes[0] == boxes[1]).all()
    shares = server.materials(BOX, 16)
    assert (shares == local.materials(BOX, 16)).all()
    assert (sum(shares[name].astype(int) for name in shares.dtype.names) == 255).all()
    x, y = server.axes(BOX, 16)
    assert shares.shape == (len(y), len(x)) and x[0] == -5488800 and y[-1] == -12549312
    header = urllib.request.urlopen(urllib.request.Request(f"{URL}/worlds/terra/chunks/0/0.r32f", method="HEAD")).headers
    assert local.digest(local.chunk(0, 0)["height"]) == header["X-Terrane-Digest"]
    seeded = terrane.connect(URL, "terra~a seed", cache=False), terrane.load(Path(WORLDS, "terra.json"), "a seed")
    assert (seeded[0].heights(BOX, 64) == seeded[1].heights(BOX, 64)).all()


def objects():
    server = terrane.connect(URL, "terra", cache=False)
    box = (0, 0, 200, 200)
    found = json.loads(raw("/worlds/terra/objects?bbox=" + ",".join(map(str, box))))["objects"]
    array = server.objects(box)
    assert len(array) == len(found) > 50
    for row, each in zip(array, found):
        assert str(row["id"]) == each["id"] and row["kind"] == each["kind"] and row["x"] == each["x"]
    assert set(server.objects(box, "rock")["kind"]) <= {"rock"}
    assert abs(server.at(0, 0)["layers"]["height"] - server.points([(0, 0)])[0]) < 1e-3


def chunk_objects():
    """The samples of chunks() and the objects of objects(), from one request."""
    server = terrane.connect(URL, "terra", cache=False)
    places, layers = [(0, 0), (1, 0), (-3, 2)], ["height", "biome"]
    before = server.requests
    samples, objects = server.chunks_with_objects(places, layers=layers)
    assert server.requests == before + 1
    assert (samples == server.chunks(places, layers=layers)).all()
    for (cx, cy), found in zip(places, objects):
        assert (found == server.objects((64 * cx, 64 * cy, 64 * cx + 64, 64 * cy + 64))).all()
    assert sum(map(len, objects)) > 10
    expect_error("beyond the edge", lambda: server.chunks_with_objects([(0, 0), (2 ** 40, 0)]), 404)


def digests():
    server = terrane.connect(URL, "terra", cache=False)
    found = server.digests([(0, 0), (3, -2), (2 ** 40, 0)], size=16)
    header = urllib.request.urlopen(urllib.request.Request(f"{URL}/worlds/terra/chunks/3/-2.r32f?size=16", method="HEAD")).headers
    assert found[1] == header["X-Terrane-Digest"] and found[0] != found[1] and found[2] is None


def cached():
    """Nothing is asked for twice, and a damaged file counts as none."""
    first = terrane.connect(URL, "dunes", cache=CACHE)
    heights = first.heights((0, 0, 1000, 1000), 4)
    again = terrane.connect(URL, "dunes", cache=CACHE)
    before = again.requests
    assert (again.heights((0, 0, 1000, 1000), 4) == heights).all() and again.requests == before
    files = [path for path in Path(CACHE).glob("??/*")]
    for path in files:
        data = bytearray(path.read_bytes())
        data[100] ^= 1
        path.write_bytes(data)
    assert (again.heights((0, 0, 1000, 1000), 4) == heights).all() and again.requests == before + 1
    small = terrane.connect(URL, "dunes", cache=f"{CACHE}/small", cache_bytes=100_000)
    small.heights((0, 0, 1000, 1000), 4)
    used = sum(path.stat().st_size for path in Path(f"{CACHE}/small").glob("??/*"))
    assert 0 < used <= 100_000, used
    from terrane.cache import DiskCache
    spoilt = DiskCache(f"{CACHE}/spoilt", 1000)
    spoilt._path("key").mkdir(parents=True)  # so that no file can take this name
    spoilt.put("key", b"bytes")
    assert spoilt.get("key") is None and len(list(Path(f"{CACHE}/spoilt").glob("??/*"))) == 1


def refusals():
    server, local = terrane.connect(URL, "terra", cache=False), terrane.load(f"{WORLDS}/terra.json")
    expect_error('unknown world "tera" (did you mean "terra"?)', lambda: terrane.connect(URL, "tera"), 404)
    expect_error("410", lambda: terrane.connect(URL, "terra@g1-" + 32 * "0"), 410)
    for ground in (server, local):
        expect_error("power of two", lambda: ground.heights(BOX, 3))
        expect_error('did you mean "height"?', lambda: ground.heights(BOX, 2, "heigt"))
        expect_error("beyond the edge", lambda: ground.chunk(2**40, 0), 404)
        expect_error("no multiple of 8 m", lambda: ground.heights((1, 1, 2, 2), 8))
        expect_error("finite", lambda: ground.points([(0, float("nan"))]))
        expect_error("each once", lambda: ground.points([(0, 0)], []))
        expect_error("1 to 1024", lambda: ground.chunk(0, 0, size=0))
    expect_error("refused", lambda: terrane.connect("http://127.0.0.1:1", patience=0.1))
    expect_error("install libterrane0", lambda: terrane.load(f"{WORLDS}/terra.json", library="/none.so"))


def patient():
    """A server that refuses twice, one that ends in the middle of an answer, one that damages a batch."""
    from http.server import BaseHTTPRequestHandler, HTTPServer
    came, damage, breaks = [], [], []

    class Busy(BaseHTTPRequestHandler):
        def answer(self, body=None):
            came.append(time.monotonic())
            refuse = len(came) in (2, 3)
            data = b'{"detail":"busy"}' if refuse else bytearray(raw(self.path, body))
            if damage and body:
                data[-1] ^= 1
            self.send_response(503 if refuse else 200)
            self.send_header("Content-Length", str(len(data)))
            if refuse:
                self.send_header("Retry-After", "0")
            self.end_headers()
            if breaks:
                data = data[:breaks.pop()]
            self.wfile.write(data)

        def do_GET(self):
            self.answer()

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers["Content-Length"])))

        def log_message(self, *words):
            pass

    busy = HTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=busy.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{busy.server_port}"
    ground = terrane.connect(url, cache=False)
    assert len(came) == 4 and ground.requests == 4
    whole = ground.chunk(0, 0)
    breaks += [0, 100]  # two tries, each with fewer bytes than its Content-Length
    assert (ground.chunk(0, 0) == whole).all() and not breaks and ground.requests == 8
    impatient = terrane.connect(url, cache=False, patience=0)
    breaks.append(100)
    expect_error("/chunks: ", lambda: impatient.chunk(0, 0))
    damage.append(True)
    expect_error("damaged", lambda: ground.chunk(0, 0))
    busy.shutdown()


def threads():
    """Two threads are in the library at once: a third, which only counts, goes on meanwhile."""
    local = terrane.load(f"{WORLDS}/terra.json")
    box = (-5489000, -12550000, -5488000, -12549000)
    alone = local.heights(box, 2)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: local.heights(box, 2), range(4)))
    assert all((result == alone).all() for result in results)
    big = terrane.load('{"generator": 1, "layers": {"height": "fbm(wavelength=300, octaves=9)"}}')
    done, counted = threading.Event(), 0
    worker = threading.Thread(target=lambda: (big.heights((0, 0, 60000, 60000), 16), done.set()))
    worker.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    worker.join()
    assert counted > 20, counted


for check in (doctests, same_bits, objects, chunk_objects, digests, cached, refusals, patient, threads):
    check()
    print(check.__name__, flush=True)
assert os.path.dirname(terrane.__file__).endswith("/installed/terrane"), terrane.__file__
