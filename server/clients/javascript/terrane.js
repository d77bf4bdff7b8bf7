/* Terrane's chunks for Node and browsers: one file, without dependencies.
 *
 *     import { Terrane } from './terrane.js';
 *     const terrane = new Terrane('http://127.0.0.1:8080', { world: 'terra', size: 64 });
 *     const { layers } = await terrane.chunk(3, -2);
 *     layers.height; // Float32Array, 65 × 65 metres, rows from north to south
 *
 * Chunk (cx, cy) has (size + 1)² vertices from (cx · size · step, cy · size · step), `step` metres apart,
 * and `apron` more rings; its last row and column are its neighbours' first. The `capacity` chunks
 * used last stay in memory.
 *
 * With a world's text and terrane.wasm (`make wasm`) chunks are computed here and have the same bits:
 *
 *     await terrane.useLocal({ wasm: bytes, text: worldFileText }); // false: see terrane.localProblem
 *
 * Where that fails, at first or later, they come over HTTP again. What comes is checked, a chunk by its
 * digest and a batch by its records' CRC-32, and a local world against one chunk of the daemon's.
 *
 * With `patience` a request that the daemon refuses for now (503, 429) or that finds no daemon, as during a restart, is
 * made again after the seconds that Retry-After says and at random up to half as many more, so that clients which were
 * refused together do not come back together. */

const DEFAULTS = {
  world: '', /* as in an address: a name, also with ~SEED and @FINGERPRINT, the seed alone percent-encoded */
  size: 64,
  step: 1, /* metres, a power of two from 2⁻⁴ to 2¹⁶ */
  apron: 0,
  layers: ['height'], /* with 'materials' each of these, as shares of 255: */
  materials: [], /* the names of the world's materials, as /worlds/{world} lists them */
  t: 0, /* seconds */
  capacity: 256, /* chunks */
  timeout: 10000, /* milliseconds for one request, its whole answer included */
  patience: 0, /* milliseconds in which a request that fails for now is made again */
};
const BATCH_MAX = 256; /* chunks */
const POINTS_MAX = 10000; /* in a request for heights */
const BINARY = 'application/octet-stream';
const SAMPLES_MAX = 1 << 22; /* in a batch, as the daemon allows unless it is told otherwise */
const RECORD_HEADER = 32;
const WORLD_EDGE = 2 ** 40; /* metres */
const SUCCESS = 200;
const UNCHANGED = 304;
const BEYOND_EDGE = 404;
const TOO_LARGE = 413;
const TOO_MANY = 429;
const BUSY = 503;
const PAUSE = 500; /* milliseconds until the next try, unless the daemon says how long */

/* An error; `status` is that of the daemon's response, or 0 if there was none; `fits` how many chunks or places
 * would have been few enough, or 0; `pause`, in milliseconds, that the same request may succeed then, or null. */
export class TerraneError extends Error {
  constructor(message, status = 0, { fits = 0, pause = null } = {}) {
    super(message);
    this.name = 'TerraneError';
    this.status = status;
    this.fits = fits;
    this.pause = pause;
  }
}

export class Terrane {
  /* Counters since this object was created. */
  counts = { hits: 0, misses: 0, requests: 0, retries: 0, unchanged: 0, received: 0, computed: 0, evicted: 0 };

  /* Why chunks are not computed here; null if they are, or if nobody asked. */
  localProblem = null;

  #chunks = new Map(); /* by "cx,cy", from the one used longest ago to the last */
  #coming = new Map(); /* promises of chunks asked for by themselves */
  #local = null;

  constructor(url, options = {}) {
    const unknown = Object.keys(options).find((name) => !(name in DEFAULTS));
    if (unknown) throw new TerraneError(`there is no option "${unknown}": ${Object.keys(DEFAULTS).join(', ')}`);
    const settings = { ...DEFAULTS, ...options };
    this.settings = Object.freeze({ ...settings, layers: [...settings.layers], materials: [...settings.materials] });
    this.planes = settings.layers.flatMap((name) => (isMaterials(name) ? settings.materials.map((each) => `materials.${each}`) : [name]));
    this.columns = settings.size + 1 + 2 * settings.apron;
    this.origin = url.replace(/\/$/, '');
    this.base = this.origin + (settings.world && `/worlds/${settings.world}`);
  }

  /* The chunk from memory, computed here, or loaded: { cx, cy, x, y, step, columns, samples, layers,
   * digest }. (x, y) is the place of the first sample; `samples` has all layers, one after another, and
   * `layers` each by its name. They are shared: copy them to change them. */
  async chunk(cx, cy) {
    const key = keyOf(cx, cy);
    const kept = this.#find(key);
    if (kept) return kept;
    if (!this.#coming.has(key)) {
      const coming = (async () => this.#compute(cx, cy) ?? this.#load(cx, cy))();
      this.#coming.set(key, coming.finally(() => this.#coming.delete(key)));
    }
    return this.#coming.get(key);
  }

  /* Many of them, [[cx, cy], …], in their order; those not here come in as few requests as they may. A chunk
   * beyond the edge of the world is null. */
  async chunks(places) {
    const found = new Map();
    const missing = [];
    for (const [cx, cy] of places) {
      const key = keyOf(cx, cy);
      if (found.has(key)) continue;
      const chunk = this.#find(key) ?? this.#compute(cx, cy);
      found.set(key, chunk);
      if (!chunk) missing.push([cx, cy]);
    }
    const most = Math.min(BATCH_MAX, Math.max(1, Math.floor(SAMPLES_MAX / (this.columns ** 2 * this.planes.length))));
    await inParts(missing, most, async (part) => {
      const loaded = await this.#loadBatch(part);
      part.forEach(([cx, cy], i) => found.set(keyOf(cx, cy), loaded[i]));
    });
    return places.map(([cx, cy]) => found.get(keyOf(cx, cy)));
  }

  /* The chunks around a place in metres, the one that it is in and `rings` around it, from north to south. What is not
   * in memory comes in one batch, mostly: called at each step of a player, it asks for the ground that comes into
   * sight and for nothing else. */
  async around(x, y, rings) {
    const { size, step, capacity } = this.settings;
    const side = 2 * rings + 1;
    if (side * side > capacity) throw new TerraneError(`${rings} rings are more chunks than there is room for, ${capacity}`);
    const [west, north] = [x, y].map((metres) => Math.floor(metres / (size * step)) - rings);
    return this.chunks(Array.from({ length: side * side }, (_, k) => [west + k % side, north + Math.floor(k / side)]));
  }

  /* The name of this client's world with its fingerprint: a client of that world has the same ground for ever, or 410. */
  async pin() {
    const { world } = this.settings;
    const response = await this.#ask('/chunks/0/0.r32f?size=1', { method: 'HEAD' });
    const name = world || jsonOf(await this.#ask('/worlds', {}, this.origin)).default;
    return `${name.replace(/@g1-[0-9a-f]*$/, '')}@${response.headers.get('x-terrane-world')}`;
  }

  /* The heights, or another layer, at many places, [[x, y], …] in metres, as a Float32Array: at full detail, which
   * chunks do not have, or at that of a zoom. They come from the daemon, 10,000 places a request. */
  async heights(places, { layer = 'height', zoom = null } = {}) {
    const found = new Float32Array(places.length);
    const path = `/heights?layer=${encodeURIComponent(layer)}${zoom === null ? '' : `&zoom=${zoom}`}`;
    const headers = { 'Content-Type': BINARY, Accept: BINARY };
    await inParts(places, POINTS_MAX, async (part, first) => {
      const body = new DataView(new ArrayBuffer(16 * part.length));
      part.flat().forEach((metres, i) => body.setFloat64(8 * i, metres, true));
      const { bytes } = await this.#ask(path, { method: 'POST', headers, body });
      if (bytes.length !== 4 * part.length) throw new TerraneError(`${path}: ${bytes.length} bytes for ${part.length} places`);
      found.set(floats(bytes), first);
    });
    return found;
  }

  /* The digests that the daemon has of many chunks, [[cx, cy], …], in their order; null beyond the edge of the world.
   * With `against`, the name of a world ("terra@g1-…", say), also which of the chunks differ there. */
  async digests(places, against) {
    const { size, step, apron, layers, t } = this.settings;
    const found = { fingerprint: null, digests: [], changed: [] };
    await inParts(places, BATCH_MAX, async (chunks) => {
      const body = JSON.stringify({ size, step, apron, layers, t, chunks, against });
      const { fingerprint, digests, changed = [] } = jsonOf(await this.#ask('/digests', { method: 'POST', body }));
      if (digests.length !== chunks.length) throw new TerraneError(`/digests: ${digests.length} for ${chunks.length} chunks`);
      if ((found.fingerprint ??= fingerprint) !== fingerprint) throw new TerraneError('/digests: the world has changed');
      found.digests.push(...digests);
      found.changed.push(...changed);
    });
    return found;
  }

  /* Asks the daemon whether a chunk has changed, and loads it then: true if it had, or was not in memory. */
  async refresh(cx, cy) {
    const kept = this.#chunks.get(keyOf(cx, cy));
    const chunk = await this.#load(cx, cy, kept);
    return kept?.digest !== chunk.digest;
  }

  /* Returns true if a chunk has the same bits here as at the daemon. */
  async verify(cx, cy) {
    const [chunk, { headers }] = await Promise.all([
      this.chunk(cx, cy), this.#ask(this.#path(cx, cy), { method: 'HEAD' })]);
    return chunk.digest === headers.get('x-terrane-digest');
  }

  /* From now on computes chunks here: `wasm` is the module, its bytes or its address, `text` the world's
   * file, `seed` text in place of its own. False if that cannot be done, or if it is not the daemon's world;
   * `check: false` asks no daemon. */
  async useLocal({ wasm, text, seed = null, check = true }) {
    try {
      const local = new Local(await openModule(wasm), { text, seed, layers: this.planes, columns: this.columns });
      if (check) {
        const { headers } = await this.#ask(this.#path(0, 0), { method: 'HEAD' });
        const theirs = headers.get('x-terrane-world');
        if (local.fingerprint !== theirs)
          throw new TerraneError(`the text is of world ${local.fingerprint}, the daemon's is ${theirs}`);
        if (digest(local.sample(this.#grid(0, 0))) !== headers.get('x-terrane-digest'))
          throw new TerraneError('chunk 0 0 has not the digest that the daemon says');
      }
      this.#local = local;
      this.localProblem = null;
    } catch (error) {
      this.#local = null;
      this.localProblem = error;
    }
    return this.#local !== null;
  }

  #find(key) {
    const kept = this.#chunks.get(key);
    this.counts[kept ? 'hits' : 'misses']++;
    if (kept) {
      this.#chunks.delete(key);
      this.#chunks.set(key, kept);
    }
    return kept;
  }

  /* Keeps r32f as it came, low byte first; the tag is null after a batch, which has none. */
  #keep(cx, cy, bytes, tag = null, known = null) {
    const { size, step, apron, capacity } = this.settings;
    const samples = floats(bytes);
    const each = this.columns ** 2;
    const chunk = {
      cx,
      cy,
      x: (cx * size - apron) * step,
      y: (cy * size - apron) * step,
      step,
      columns: this.columns,
      samples,
      layers: Object.fromEntries(this.planes.map((name, i) => [name, samples.subarray(each * i, each * (i + 1))])),
      tag,
      get digest() {
        known ??= digest(bytes);
        return known;
      },
    };
    const key = keyOf(cx, cy);
    this.#chunks.delete(key);
    this.#chunks.set(key, chunk);
    if (this.#chunks.size > capacity) {
      this.#chunks.delete(this.#chunks.keys().next().value);
      this.counts.evicted++;
    }
    return chunk;
  }

  #grid(cx, cy) {
    const { size, step, apron, t } = this.settings;
    const unit = BigInt(step * 65536);
    const first = (index) => (BigInt(index) * BigInt(size) - BigInt(apron)) * unit;
    return { x: first(cx), y: first(cy), unit, step, t };
  }

  /* Null if it is for the daemon: there is no world here, or it fails, or the place lies beyond the edge. */
  #compute(cx, cy) {
    const { size, step } = this.settings;
    const limit = Math.floor(WORLD_EDGE / (size * step));
    if (!this.#local || [cx, cy].some((index) => index < -limit || index >= limit)) return null;
    try {
      const chunk = this.#keep(cx, cy, this.#local.sample(this.#grid(cx, cy)));
      this.counts.computed++;
      return chunk;
    } catch (error) {
      /* After a trap the module's memory may be in any state. */
      if (!(error instanceof TerraneError)) {
        this.#local = null;
        this.localProblem = error;
      }
      return null;
    }
  }

  #path(cx, cy) {
    const { size, step, apron, layers, t } = this.settings;
    const names = layers.map(encodeURIComponent).join(',');
    return `/chunks/${cx}/${cy}.r32f?size=${size}&step=${step}&apron=${apron}&layers=${names}&t=${t}`;
  }

  /* The answer, { status, headers, bytes }, if it is 200, or 304 to a condition. */
  async #ask(path, options, base = this.base) {
    return this.#patiently(() => this.#askOnce(path, options, base));
  }

  async #askOnce(path, options, base) {
    const what = `${options.method ?? 'GET'} ${base}${path}`;
    this.counts.requests++;
    let answer;
    try {
      answer = await within(this.settings.timeout, async (signal) => {
        const response = await fetch(base + path, { ...options, signal });
        return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) };
      });
    } catch (error) {
      throw new TerraneError(`${what}: ${error.cause?.message ?? error.message}`, 0, { pause: PAUSE });
    }
    const { status, headers, bytes } = answer;
    if (status === SUCCESS || (status === UNCHANGED && options.headers)) return answer;
    const { detail, fits } = problemOf(textOf(bytes));
    const pause = status === BUSY || status === TOO_MANY ? 1000 * headers.get('retry-after') || PAUSE : null;
    throw new TerraneError(`${what}: ${status}: ${detail}`, status, { fits, pause });
  }

  /* The result of `attempt`, made again as long as it fails for now and patience lasts. */
  async #patiently(attempt) {
    const end = Date.now() + this.settings.patience;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        const pause = (error.pause ?? Infinity) * (1 + Math.random() / 2);
        if (Date.now() + pause > end) throw error;
        this.counts.retries++;
        await new Promise((resolve) => { setTimeout(resolve, pause); });
      }
    }
  }

  get #bytes() {
    return 4 * this.columns ** 2 * this.planes.length;
  }

  async #load(cx, cy, kept = null) {
    const path = this.#path(cx, cy);
    const response = await this.#ask(path, kept?.tag ? { headers: { 'If-None-Match': kept.tag } } : {});
    if (response.status === UNCHANGED) {
      this.counts.unchanged++;
      return kept;
    }
    const { bytes } = response;
    if (bytes.length !== this.#bytes) throw new TerraneError(`${path}: ${bytes.length} bytes, not ${this.#bytes}`);
    const [found, wanted] = [digest(bytes), response.headers.get('x-terrane-digest')];
    if (found !== wanted) throw new TerraneError(`${path}: its digest is ${found}, not ${wanted}`);
    this.counts.received++;
    return this.#keep(cx, cy, bytes, response.headers.get('etag'), found);
  }

  /* The chunks of a batch. Those that the daemon had no room for are asked for again; so is a batch that breaks off. */
  async #loadBatch(places) {
    const found = new Map();
    await this.#patiently(async () => {
      const missing = places.filter(([cx, cy]) => !found.has(keyOf(cx, cy)));
      const busy = await this.#takeBatch(missing, found);
      if (busy > 0) throw new TerraneError(`/chunks: ${BUSY}: ${busy} of ${missing.length} chunks`, BUSY, { pause: PAUSE });
    });
    return places.map(([cx, cy]) => found.get(keyOf(cx, cy)));
  }

  /* Loads a batch into `found`, and returns how many chunks are left for later. */
  async #takeBatch(places, found) {
    const { size, step, apron, layers, t } = this.settings;
    const body = JSON.stringify({ format: 'r32f', size, step, apron, layers, t, chunks: places });
    const { bytes } = await this.#askOnce('/chunks', { method: 'POST', body }, this.base);
    let at = 0;
    let busy = 0;
    for (const [cx, cy] of places) {
      const { status, payload } = takeRecord(bytes.subarray(at), cx, cy, this.#bytes);
      at += RECORD_HEADER + payload.length;
      busy += status === BUSY;
      if (status === BEYOND_EDGE) found.set(keyOf(cx, cy), null);
      if (status !== SUCCESS) continue;
      /* A copy: a view would keep the whole batch in memory. */
      found.set(keyOf(cx, cy), this.#keep(cx, cy, payload.slice()));
      this.counts.received++;
    }
    if (at !== bytes.length) throw new TerraneError('a batch is too long');
    return busy;
  }
}

/* The layer of all materials, with a pin or not. */
const isMaterials = (name) => /^materials(@|$)/.test(name);

/* Calls load(part, first) for all items, up to `most` at a time. The daemon refuses what would take too long, and says
 * how many would fit: then the parts are of so many. */
async function inParts(items, most, load) {
  for (let first = 0; first < items.length;) {
    const part = items.slice(first, first + most);
    try {
      await load(part, first);
      first += part.length;
    } catch (error) {
      if (error.status !== TOO_LARGE || error.fits < 1 || error.fits >= part.length) throw error;
      most = error.fits;
    }
  }
}

/* RFC 9457, or any other text, as from a proxy. */
function problemOf(text) {
  try {
    const { detail = text, fits = 0 } = JSON.parse(text);
    return { detail, fits };
  } catch {
    return { detail: text, fits: 0 };
  }
}

function keyOf(cx, cy) {
  if (!Number.isSafeInteger(cx) || !Number.isSafeInteger(cy))
    throw new TerraneError(`a chunk's place must be two whole numbers, not ${cx}, ${cy}`);
  return `${cx},${cy}`;
}

const textOf = (bytes) => new TextDecoder().decode(bytes);
const jsonOf = ({ bytes }) => JSON.parse(textOf(bytes));

const TIMER_MAX = 2 ** 31 - 1; /* milliseconds; beyond it setTimeout() does not wait at all */

/* What work(signal) gives, or an error after so many milliseconds. The signal ends a request, but the promise of a
 * gzipped body may never settle then (Node 20): so the time is not left to the signal alone. */
async function within(milliseconds, work) {
  const control = new AbortController();
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`timeout: no whole answer within ${milliseconds} ms`));
      control.abort();
    }, Math.min(milliseconds, TIMER_MAX));
  });
  try {
    return await Promise.race([work(control.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/* { status, payload } of the batch's record that begins here; the payload is empty beyond the edge of the world (404)
 * and where the daemon had no room (503). */
function takeRecord(bytes, cx, cy, size) {
  const what = `a batch's chunk ${cx} ${cy}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < RECORD_HEADER || view.getUint32(0, true) !== 0x434e5254 || view.getUint16(4, true) !== 1)
    throw new TerraneError(`${what} is missing, or is not of version 1`);
  const [x, y] = [view.getBigInt64(8, true), view.getBigInt64(16, true)];
  if (x !== BigInt(cx) || y !== BigInt(cy)) throw new TerraneError(`${what} is ${x} ${y}`);
  const [status, length] = [view.getUint16(6, true), view.getUint32(24, true)];
  if (length !== (status === SUCCESS ? size : 0) || RECORD_HEADER + length > bytes.length)
    throw new TerraneError(`${what} has ${length} bytes`);
  if (![SUCCESS, BEYOND_EDGE, BUSY].includes(status)) throw new TerraneError(`${what}: ${status}`, status);
  const payload = bytes.subarray(RECORD_HEADER, RECORD_HEADER + length);
  if (crc32(payload) !== view.getUint32(28, true)) throw new TerraneError(`${what} is damaged`);
  return { status, payload };
}

const LOW_FIRST = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/* Returns bytes as floats; the bytes begin at offset 0 of their buffer. Little-endian machines make no copy. */
function floats(bytes) {
  if (LOW_FIRST) return new Float32Array(bytes.buffer, 0, bytes.length / 4);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, i) => {
  let crc = i;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  return crc;
});

/* As in RFC 1952. */
export function crc32(bytes) {
  let crc = -1;
  for (let i = 0; i < bytes.length; i++) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ bytes[i]) & 255];
  return ~crc >>> 0;
}

const whole = (value) => BigInt.asUintN(64, value);
const rotate = (value, bits) => whole(value << bits) | (value >> (64n - bits));

function finish(value) {
  let k = whole((value ^ (value >> 33n)) * 0xff51afd7ed558ccdn);
  k = whole((k ^ (k >> 33n)) * 0xc4ceb9fe1a85ec53n);
  return k ^ (k >> 33n);
}

/* X-Terrane-Digest: MurmurHash3 x64 128 (Austin Appleby's) with seed 0, over r32f's bytes; hex. */
export function digest(bytes) {
  const [c1, c2] = [0x87c37b91114253d5n, 0x4cf5ad432745937fn];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const first = (k) => whole(rotate(whole(k * c1), 31n) * c2);
  const second = (k) => whole(rotate(whole(k * c2), 33n) * c1);
  let [h1, h2, at] = [0n, 0n, 0];
  for (; at + 16 <= bytes.length; at += 16) {
    h1 ^= first(view.getBigUint64(at, true));
    h1 = whole((rotate(h1, 27n) + h2) * 5n + 0x52dce729n);
    h2 ^= second(view.getBigUint64(at + 8, true));
    h2 = whole((rotate(h2, 31n) + h1) * 5n + 0x38495ab5n);
  }
  const rest = new DataView(new ArrayBuffer(16));
  for (let i = at; i < bytes.length; i++) rest.setUint8(i - at, bytes[i]);
  h1 ^= first(rest.getBigUint64(0, true)) ^ BigInt(bytes.length);
  h2 ^= second(rest.getBigUint64(8, true)) ^ BigInt(bytes.length);
  h1 = whole(h1 + h2);
  h2 = whole(h2 + h1);
  h1 = finish(h1);
  h2 = finish(h2);
  h1 = whole(h1 + h2);
  h2 = whole(h2 + h1);
  return h1.toString(16).padStart(16, '0') + h2.toString(16).padStart(16, '0');
}

async function openModule(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return WebAssembly.compile(wasm);
  const response = await fetch(wasm);
  if (!response.ok) throw new TerraneError(`GET ${wasm}: ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
}

/* A world in terrane.wasm, with room for one chunk: the structs of core/terrane.h as a 32-bit machine
 * lays them out. Its errors are TerraneErrors; anything else is a trap. */
const ERROR_SIZE = 620;
const GRID_SIZE = 56;

const MATERIALS = 'materials.';

class Local {
  constructor(module, { text, seed, layers, columns }) {
    this.exports = new WebAssembly.Instance(module).exports;
    this.exports._initialize();
    this.columns = columns;
    this.error = this.#allocate(ERROR_SIZE);
    this.world = this.#parse(text, seed);
    this.fingerprint = this.#text(this.exports.terrane_world_fingerprint(this.world));
    this.sampler = this.exports.terrane_sampler_new();
    const each = 4 * columns ** 2;
    this.length = each * layers.length;
    this.samples = this.#allocate(this.length);
    this.grid = this.#allocate(GRID_SIZE);
    const numbers = this.#numbers(layers.map((name) => this.#layer(name)));
    const outputs = this.#numbers(layers.map((_, i) => this.samples + each * i));
    this.request = this.#numbers([numbers, outputs, layers.length]);
    const first = layers.findIndex((name) => name.startsWith(MATERIALS));
    this.weights = first < 0 ? 0 : outputs + 4 * first;
  }

  /* r32f of the chunk whose first sample is at x, y: BigInt in 2⁻¹⁶ m, `unit` as well. */
  sample({ x, y, unit, step, t }) {
    const view = new DataView(this.exports.memory.buffer, this.grid, GRID_SIZE);
    [x, y, unit].forEach((value, i) => view.setBigInt64(8 * i, value, true));
    [this.columns, this.columns].forEach((value, i) => view.setUint32(24 + 4 * i, value, true));
    [step, 0, t].forEach((value, i) => view.setFloat64(32 + 8 * i, value, true));
    const { terrane_sample_grid: sampleGrid } = this.exports;
    if (!sampleGrid(this.sampler, this.world, this.grid, this.request, this.error)) throw this.#problem();
    if (this.weights) this.exports.terrane_share_materials(this.world, this.weights, this.columns ** 2);
    return new Uint8Array(this.exports.memory.buffer.slice(this.samples, this.samples + this.length));
  }

  #allocate(size) {
    const pointer = this.exports.malloc(size);
    if (!pointer) throw new TerraneError('out of memory');
    return pointer;
  }

  /* Text with a 0 behind it. */
  #put(text) {
    const bytes = new TextEncoder().encode(`${text}\0`);
    const pointer = this.#allocate(bytes.length);
    new Uint8Array(this.exports.memory.buffer).set(bytes, pointer);
    return [pointer, bytes.length - 1];
  }

  #numbers(list) {
    const pointer = this.#allocate(4 * list.length);
    const view = new DataView(this.exports.memory.buffer);
    list.forEach((value, i) => view.setUint32(pointer + 4 * i, value, true));
    return pointer;
  }

  #text(pointer) {
    const bytes = new Uint8Array(this.exports.memory.buffer, pointer);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  #problem() {
    const line = this.#allocate(ERROR_SIZE);
    this.exports.terrane_error_text(this.error, line, ERROR_SIZE);
    const error = new TerraneError(this.#text(line));
    this.exports.free(line);
    return error;
  }

  #parse(source, seed) {
    const [text, length] = this.#put(source);
    const world = this.exports.terrane_world_parse(text, length, 0, this.error);
    this.exports.free(text);
    if (!world) throw this.#problem();
    if (seed === null) return world;
    const [words] = this.#put(seed);
    const other = this.exports.terrane_world_reseed(world, words, this.error);
    if (!other) throw this.#problem();
    return other;
  }

  /* A material has the number behind those of the layers. */
  #layer(name) {
    if (name.startsWith(MATERIALS)) return this.exports.terrane_layer_count(this.world) + this.#material(name);
    const [text] = this.#put(name);
    const layer = this.exports.terrane_layer_find(this.world, text);
    this.exports.free(text);
    if (layer < 0) throw new TerraneError(`the world has no layer "${name}"`);
    return layer;
  }

  #material(name) {
    for (let i = 0, text; (text = this.exports.terrane_material_name(this.world, i)) !== 0; i++)
      if (MATERIALS + this.#text(text) === name) return i;
    throw new TerraneError(`the world has no material "${name}"`);
  }
}
