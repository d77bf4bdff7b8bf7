/* Terrane's chunks for Node and browsers, without dependencies; the daemon serves it as one file, /terrane.js.
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
 * `format` is how they come: 'r32f' has the daemon's bits; 'r16z' rounds heights to eighths of a metre (at most 0.0625 m
 * beside the float, from -4096 to 4095.875 m) and has a tenth of the bytes or less; 'r8' rounds to 255 parts of the range
 * of the layer (at most half a part beside it). Shares of materials are whole numbers, and so are exact in all three.
 *
 * With terrane.wasm chunks are computed here and have the same bits. Both it and the world's file are the daemon's,
 * unless they are given:
 *
 *     await terrane.useLocal(); // false: see terrane.localProblem
 *     await terrane.useLocal({ wasm: bytes, text: worldFileText });
 *
 * Where that fails, at first or later, they come over HTTP again. What comes is checked, a chunk by its
 * digest (of r32f, which alone can be compared), a batch by its records' CRC-32, and a local world against one chunk of
 * the daemon's.
 *
 * With `objects` each chunk also has the objects on it, from the same request: [{ id, kind, x, y, height, scale,
 * rotation }] in the square that is its own. Such chunks are never computed here.
 *
 * With `patience` a request that the daemon refuses for now (503, 429) or that finds no daemon, as during a restart, is
 * made again after the seconds that Retry-After says and at random up to half as many more, so that clients which were
 * refused together do not come back together. */

import {
  BEYOND_EDGE, BUSY, FORMATS, OBJECTS_RECORD, RECORD_HEADER, SUCCESS, TOO_MANY,
  decode, digest, floats, objectsOf, scalesOf, sizeOf, takeRecord,
} from './codec.js';
import { TerraneError } from './error.js';
import { reloads } from './events.js';
import { Local, openModule } from './local.js';

export { crc32, digest } from './codec.js';
export { TerraneError } from './error.js';

const DEFAULTS = {
  world: '', /* as in an address: a name, also with ~SEED and @FINGERPRINT, the seed alone percent-encoded */
  size: 64,
  step: 1, /* metres, a power of two from 2⁻⁴ to 2¹⁶ */
  apron: 0,
  layers: ['height'], /* with 'materials' each of these, as shares of 255: */
  materials: [], /* the names of the world's materials, as /worlds/{world} lists them */
  t: 0, /* seconds */
  format: 'r32f', /* or 'r16z' or 'r8' */
  objects: false, /* whether chunks have their objects */
  capacity: 256, /* chunks */
  timeout: 10000, /* milliseconds for one request, its whole answer included */
  patience: 0, /* milliseconds in which a request that fails for now is made again */
};
const BATCH_MAX = 256; /* chunks */
const POINTS_MAX = 10000; /* in a request for heights */
const BINARY = 'application/octet-stream';
const SAMPLES_MAX = 1 << 22; /* in a batch, as the daemon allows unless it is told otherwise */
const WORLD_EDGE = 2 ** 40; /* metres */
const UNCHANGED = 304;
const TOO_LARGE = 413;
const PAUSE = 500; /* milliseconds until the next try, unless the daemon says how long */

export class Terrane {
  /* Counters since this object was created. */
  counts = { hits: 0, misses: 0, requests: 0, retries: 0, unchanged: 0, received: 0, computed: 0, evicted: 0 };

  /* Why chunks are not computed here; null if they are, or if nobody asked. */
  localProblem = null;

  #chunks = new Map(); /* by "cx,cy", from the one used longest ago to the last */
  #coming = new Map(); /* promises of chunks asked for by themselves */
  #local = null;
  #scales = null; /* of r8, when they were asked for */
  #kinds = {}; /* { fingerprint, names } of objects, when they were asked for */
  #fingerprint = null; /* of the world that the last chunks were of */

  constructor(url, options = {}) {
    const unknown = Object.keys(options).find((name) => !(name in DEFAULTS));
    if (unknown) throw new TerraneError(`there is no option "${unknown}": ${Object.keys(DEFAULTS).join(', ')}`);
    const settings = { ...DEFAULTS, ...options };
    if (!Object.hasOwn(FORMATS, settings.format))
      throw new TerraneError(`there is no format "${settings.format}": ${Object.keys(FORMATS).join(', ')}`);
    this.settings = Object.freeze({ ...settings, layers: [...settings.layers], materials: [...settings.materials] });
    this.planes = settings.layers.flatMap((name) => (isMaterials(name) ? settings.materials.map((each) => `materials.${each}`) : [name]));
    this.columns = settings.size + 1 + 2 * settings.apron;
    this.origin = url.replace(/\/$/, '');
    this.base = this.origin + (settings.world && `/worlds/${settings.world}`);
  }

  /* The chunk from memory, computed here, or loaded: { cx, cy, x, y, step, columns, samples, layers,
   * digest }. (x, y) is the place of the first sample; `samples` has all layers, one after another, and
   * `layers` each by its name. They are shared: copy them to change them. `digest` is that of the daemon's
   * floats; null of a chunk that came in a batch and in another format. `objects` is null without that option. */
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
    const [found] = await this.#samplesAt(places, `layer=${encodeURIComponent(layer)}`, 1, zoom);
    return found;
  }

  /* The same of several layers, by their names: { height: Float32Array, … }. */
  async samples(places, { layers = ['height'], zoom = null } = {}) {
    const found = await this.#samplesAt(places, `layers=${layers.map(encodeURIComponent).join(',')}`, layers.length, zoom);
    return Object.fromEntries(layers.map((name, i) => [name, found[i]]));
  }

  async #samplesAt(places, query, count, zoom) {
    const found = Array.from({ length: count }, () => new Float32Array(places.length));
    const path = `/heights?${query}${zoom === null ? '' : `&zoom=${zoom}`}`;
    const headers = { 'Content-Type': BINARY, Accept: BINARY };
    await inParts(places, POINTS_MAX, async (part, first) => {
      const body = new DataView(new ArrayBuffer(16 * part.length));
      part.flat().forEach((metres, i) => body.setFloat64(8 * i, metres, true));
      const { bytes } = await this.#ask(path, { method: 'POST', headers, body });
      if (bytes.length !== 4 * part.length * count)
        throw new TerraneError(`${path}: ${bytes.length} bytes for ${part.length} places`);
      const samples = floats(bytes);
      found.forEach((layer, i) => layer.set(samples.subarray(part.length * i, part.length * (i + 1)), first));
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
    return !kept || differ(kept, chunk);
  }

  /* Waits for changes of the world, and gives each one: { fingerprint, chunks }, where `chunks` are those in memory that
   * have changed, loaded again.
   *
   *     for await (const { chunks } of terrane.follow({ signal })) for (const chunk of chunks) draw(chunk);
   *
   * It hears of a reload at once by /events, if the daemon was started with --watch, and else asks every so many
   * milliseconds. The daemon says by digests which chunks have changed, and only those are sent again; chunks without a
   * digest and chunks with objects are all sent again. It ends with the signal. */
  async* follow({ signal = null, every = 10000 } = {}) {
    const { world } = this.settings;
    if (/@g1-[0-9a-f]*$/.test(world)) throw new TerraneError(`${world} is pinned, so it never changes`);
    const name = world || jsonOf(await this.#ask('/worlds', {}, this.origin)).default;
    let known = this.#fingerprint;
    for await (const _ of reloads(`${this.origin}/events`, every, signal)) {
      const fingerprint = await this.#present(name);
      if (fingerprint && known && fingerprint !== known) yield { fingerprint, chunks: await this.#renew() };
      known = fingerprint ?? known;
    }
  }

  /* The fingerprint of the world; null if the daemon cannot say it for now. */
  async #present(name) {
    try {
      return jsonOf(await this.#ask(`/worlds/${name}`, {}, this.origin)).fingerprint;
    } catch (error) {
      if (error.pause === null) throw error;
      return null;
    }
  }

  /* After a change of the world: loads the chunks again whose ground has changed, and returns those that differ. */
  async #renew() {
    if (this.#local) this.localProblem = new TerraneError('the world has changed since useLocal()');
    this.#local = this.#scales = null;
    await Promise.allSettled(this.#coming.values());
    const kept = [...this.#chunks.values()];
    const { digests } = this.settings.objects ? { digests: [] } : await this.digests(kept.map(({ cx, cy }) => [cx, cy]));
    const stale = kept.filter((chunk, i) => !digests[i] || chunk.digest !== digests[i]);
    for (const { cx, cy } of stale) this.#chunks.delete(keyOf(cx, cy));
    const fresh = await this.chunks(stale.map(({ cx, cy }) => [cx, cy]));
    return fresh.filter((chunk, i) => differ(stale[i], chunk));
  }

  /* Returns true if a chunk has the same bits here as at the daemon. */
  async verify(cx, cy) {
    const { format } = this.settings;
    if (format !== 'r32f' && !this.#local) throw new TerraneError(`verify() needs the format r32f: ${format} has no exact samples`);
    const [chunk, { headers }] = await Promise.all([
      this.chunk(cx, cy), this.#ask(this.#path(cx, cy), { method: 'HEAD' })]);
    return chunk.digest === headers.get('x-terrane-digest');
  }

  /* From now on computes chunks here: `wasm` is the module, its bytes or its address, which is below the daemon's if it
   * begins with a slash; `text` the world's file, `seed` text in place of its own. What is not given is the daemon's.
   * False if that cannot be done, or if it is not the daemon's world; `check: false` compares it with no chunk. */
  async useLocal({ wasm = '/terrane.wasm', text = null, seed = null, check = true } = {}) {
    try {
      const module = await openModule(typeof wasm === 'string' && wasm.startsWith('/') ? this.origin + wasm : wasm);
      const world = text === null ? { text: textOf((await this.#ask('/world.json', {})).bytes), seed: this.#seed() } : { text, seed };
      const local = new Local(module, { ...world, layers: this.planes, columns: this.columns });
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

  /* The seed in the world's name, or null: "terra~SEED@g1-…". */
  #seed() {
    const [, seed = null] = /^[^~]*~(.*)$/.exec(this.settings.world.replace(/@g1-[0-9a-f]*$/, '')) ?? [];
    return seed === null ? null : decodeURIComponent(seed);
  }

  /* Keeps r32f, low byte first. The tag is null after a batch, which has none; so is the digest `known` unless the
   * daemon said it, and then it is that of the bytes, if they are `exact`. */
  #keep(cx, cy, bytes, { tag = null, known = null, exact = true, objects = null } = {}) {
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
      objects,
      tag,
      get digest() {
        if (exact) known ??= digest(bytes);
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
    if (!this.#local || this.settings.objects || [cx, cy].some((index) => index < -limit || index >= limit)) return null;
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
    const { size, step, apron, layers, t, format } = this.settings;
    const names = layers.map(encodeURIComponent).join(',');
    return `/chunks/${cx}/${cy}.${format}?size=${size}&step=${step}&apron=${apron}&layers=${names}&t=${t}`;
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

  /* r32f of a chunk that came in the format of the settings. */
  async #decode(bytes, what) {
    const { format, layers } = this.settings;
    if (format === 'r8' && !this.#scales) {
      const names = layers.map(encodeURIComponent).join(',');
      const { headers } = await this.#ask(`/chunks/0/0.r8?size=1&layers=${names}`, { method: 'HEAD' });
      this.#scales = scalesOf(headers.get('x-terrane-encoding'), this.planes);
    }
    return decode(bytes, { format, columns: this.columns, planes: this.planes.length, scales: this.#scales, what });
  }

  async #load(cx, cy, kept = null) {
    const path = this.#path(cx, cy);
    if (this.settings.objects) {
      const [chunk] = await this.#loadBatch([[cx, cy]]);
      if (!chunk) throw new TerraneError(`${path}: beyond the edge of the world`, BEYOND_EDGE);
      return chunk;
    }
    const response = await this.#ask(path, kept?.tag ? { headers: { 'If-None-Match': kept.tag } } : {});
    if (response.status === UNCHANGED) {
      this.counts.unchanged++;
      return kept;
    }
    const bytes = await this.#decode(response.bytes, path);
    const exact = this.settings.format === 'r32f';
    const known = response.headers.get('x-terrane-digest');
    const found = exact ? digest(bytes) : known;
    if (found !== known) throw new TerraneError(`${path}: its digest is ${found}, not ${known}`);
    this.counts.received++;
    this.#fingerprint = response.headers.get('x-terrane-world');
    return this.#keep(cx, cy, bytes, { tag: response.headers.get('etag'), known, exact });
  }

  /* The chunks of a batch. Those that the daemon had no room for, or that are beyond what one client may have, are asked
   * for again; so is a batch that breaks off. */
  async #loadBatch(places) {
    const found = new Map();
    await this.#patiently(async () => {
      const missing = places.filter(([cx, cy]) => !found.has(keyOf(cx, cy)));
      const refused = await this.#takeBatch(missing, found);
      if (refused.length === 0) return;
      throw new TerraneError(`/chunks: ${refused[0]}: ${refused.length} of ${missing.length} chunks`, refused[0], { pause: PAUSE });
    });
    return places.map(([cx, cy]) => found.get(keyOf(cx, cy)));
  }

  /* Loads a batch into `found`, and returns the status of each chunk that is left for later. */
  async #takeBatch(places, found) {
    const { size, step, apron, layers, t, format, objects } = this.settings;
    const body = JSON.stringify({ format, size, step, apron, layers, t, ...(objects && { objects }), chunks: places });
    const { bytes, headers } = await this.#askOnce('/chunks', { method: 'POST', body }, this.base);
    const kinds = objects ? await this.#kindsOf(headers.get('x-terrane-world')) : [];
    let at = 0;
    const refused = [];
    for (const [cx, cy] of places) {
      const record = takeRecord(bytes.subarray(at), cx, cy, sizeOf(format, this.columns ** 2 * this.planes.length));
      at += RECORD_HEADER + record.payload.length;
      const beside = objects ? takeRecord(bytes.subarray(at), cx, cy, null, OBJECTS_RECORD) : null;
      at += beside ? RECORD_HEADER + beside.payload.length : 0;
      const { payload } = record;
      const status = record.status === SUCCESS && beside ? beside.status : record.status;
      if (status === BUSY || status === TOO_MANY) refused.push(status);
      if (status === BEYOND_EDGE) found.set(keyOf(cx, cy), null);
      if (status !== SUCCESS) continue;
      /* A copy: a view would keep the whole batch in memory. */
      const what = `a batch's chunk ${cx} ${cy}`;
      const samples = await this.#decode(payload.slice(), what);
      const standing = beside && objectsOf(beside.payload, kinds, what);
      found.set(keyOf(cx, cy), this.#keep(cx, cy, samples, { exact: format === 'r32f', objects: standing }));
      this.counts.received++;
    }
    if (at !== bytes.length) throw new TerraneError('a batch is too long');
    this.#fingerprint = headers.get('x-terrane-world');
    return refused;
  }

  /* The names of the kinds of objects of the world, which must have the fingerprint. */
  async #kindsOf(fingerprint) {
    if (this.#kinds.fingerprint === fingerprint) return this.#kinds.names;
    const { world } = this.settings;
    const name = world || jsonOf(await this.#ask('/worlds', {}, this.origin)).default;
    const found = jsonOf(await this.#ask(`/worlds/${name}`, {}, this.origin));
    if (found.fingerprint !== fingerprint) throw new TerraneError('/chunks: the world has changed', 0, { pause: PAUSE });
    this.#kinds = { fingerprint, names: found.objects.map((kind) => kind.name) };
    return this.#kinds.names;
  }
}

/* Whether a chunk has other samples or objects than before. */
const differ = (before, now) => before !== now && (!now || before.samples.some((value, i) => value !== now.samples[i])
  || JSON.stringify(before.objects) !== JSON.stringify(now.objects));

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
