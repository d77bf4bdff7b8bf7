/* The bytes of the daemon: records of batches, the formats of samples, checksums. */

import { TerraneError } from './error.js';

export const RECORD_HEADER = 32;
export const SUCCESS = 200;
export const BEYOND_EDGE = 404;
export const BUSY = 503;
export const TOO_MANY = 429;

export const CHUNK_RECORD = 0x434e5254; /* "TRNC" */
export const OBJECTS_RECORD = 0x4f4e5254; /* "TRNO" */

/* { status, payload } of the batch's record that begins here, whose payload has `size` bytes, or any number of them for
 * null; it is empty beyond the edge of the world (404) and where the daemon had no room (503). */
export function takeRecord(bytes, cx, cy, size, magic = CHUNK_RECORD) {
  const what = `a batch's ${magic === CHUNK_RECORD ? 'chunk' : 'objects of chunk'} ${cx} ${cy}`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < RECORD_HEADER || view.getUint32(0, true) !== magic || view.getUint16(4, true) !== 1)
    throw new TerraneError(`${what} is missing, or is not of version 1`);
  const [x, y] = [view.getBigInt64(8, true), view.getBigInt64(16, true)];
  if (x !== BigInt(cx) || y !== BigInt(cy)) throw new TerraneError(`${what} is ${x} ${y}`);
  const [status, length] = [view.getUint16(6, true), view.getUint32(24, true)];
  if (length !== (status === SUCCESS ? size ?? length : 0) || RECORD_HEADER + length > bytes.length)
    throw new TerraneError(`${what} has ${length} bytes`);
  if (![SUCCESS, BEYOND_EDGE, BUSY, TOO_MANY].includes(status)) throw new TerraneError(`${what}: ${status}`, status);
  const payload = bytes.subarray(RECORD_HEADER, RECORD_HEADER + length);
  if (crc32(payload) !== view.getUint32(28, true)) throw new TerraneError(`${what} is damaged`);
  return { status, payload };
}

const OBJECT_BYTES = 40;

/* The objects of a payload; `kinds` are the names of the world's kinds. */
export function objectsOf(bytes, kinds, what) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length % OBJECT_BYTES > 0) throw new TerraneError(`${what}: ${bytes.length} bytes of objects`);
  return Array.from({ length: bytes.length / OBJECT_BYTES }, (_, i) => {
    const at = OBJECT_BYTES * i;
    const kind = kinds[view.getUint32(at + 36, true)];
    if (kind === undefined) throw new TerraneError(`${what}: an object of kind ${view.getUint32(at + 36, true)} of ${kinds.length}`);
    const [x, y] = [8, 16].map((offset) => Number(view.getBigInt64(at + offset, true)) / 65536);
    const [height, scale, rotation] = [24, 28, 32].map((offset) => view.getFloat32(at + offset, true));
    return { id: String(view.getBigUint64(at, true)), kind, x, y, height, scale, rotation };
  });
}

const LOW_FIRST = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/* Returns bytes as floats; the bytes begin at offset 0 of their buffer. Little-endian machines make no copy. */
export function floats(bytes) {
  if (LOW_FIRST) return new Float32Array(bytes.buffer, 0, bytes.length / 4);
  const view = new DataView(bytes.buffer);
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(4 * i, true));
}

/* Floats as bytes, low byte first. */
export function bytesOf(samples) {
  if (LOW_FIRST) return new Uint8Array(samples.buffer);
  const view = new DataView(new ArrayBuffer(4 * samples.length));
  samples.forEach((value, i) => view.setFloat32(4 * i, value, true));
  return new Uint8Array(view.buffer);
}

async function gunzip(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* The predicted numbers of one layer as they were, modulo 2¹⁶: see "Chunks" in the manual. */
function unpredict(bytes, columns, out) {
  const n = out.length;
  for (let k = 0; k < n; k++) {
    const z = bytes[k] | (bytes[n + k] << 8);
    const left = k % columns > 0 ? out[k - 1] : 0;
    const up = k >= columns ? out[k - columns] : 0;
    const upleft = k % columns > 0 && k >= columns ? out[k - columns - 1] : 0;
    out[k] = ((z >> 1) ^ -(z & 1)) + left + up - upleft;
  }
}

async function decodeR16z(bytes, { columns, planes, what }) {
  const n = columns ** 2;
  let unpacked;
  try {
    unpacked = await gunzip(bytes);
  } catch (error) {
    throw new TerraneError(`${what} is damaged: ${error.message}`);
  }
  checkLength(unpacked, 2 * n * planes, what);
  const samples = new Float32Array(n * planes);
  const numbers = new Uint16Array(n);
  for (let plane = 0; plane < planes; plane++) {
    unpredict(unpacked.subarray(2 * n * plane, 2 * n * (plane + 1)), columns, numbers);
    numbers.forEach((value, k) => { samples[n * plane + k] = value / 8 - 4096; });
  }
  return bytesOf(samples);
}

function decodeR8(bytes, { columns, planes, scales, what }) {
  const n = columns ** 2;
  checkLength(bytes, n * planes, what);
  return bytesOf(Float32Array.from(bytes, (value, k) => {
    const [range, least] = scales[Math.floor(k / n)];
    return (value / 255) * range + least;
  }));
}

function checkLength(bytes, wanted, what) {
  if (bytes.length !== wanted) throw new TerraneError(`${what}: ${bytes.length} bytes, not ${wanted}`);
}

export const FORMATS = {
  r32f(bytes, { columns, planes, what }) {
    checkLength(bytes, 4 * columns ** 2 * planes, what);
    return bytes;
  },
  r16z: decodeR16z,
  r8: decodeR8,
};

/* The bytes of so many samples; null if that depends on them. */
export const sizeOf = (format, samples) => ({ r32f: 4 * samples, r8: samples })[format] ?? null;

/* r32f of a chunk in another format: `planes` of columns² samples. `scales` are those of r8, `what` names the chunk in
 * errors. */
export async function decode(bytes, options) {
  return FORMATS[options.format](bytes, options);
}

/* [range, least] of each plane of r8, from X-Terrane-Encoding: "uint8; height: value / 255 * 8200 + -5000; …", without
 * the name if there is one layer; shares of materials are whole numbers up to 255. */
export function scalesOf(encoding, planes) {
  const named = new Map([...encoding.matchAll(/; (?:([^;:]+): )?value \/ 255 \* (\S+) \+ ([^\s;]+)/g)]
    .map(([, name = planes[0], range, least]) => [name, [Number(range), Number(least)]]));
  return planes.map((name) => {
    const scale = named.get(name) ?? (name.startsWith('materials.') ? [255, 0] : null);
    if (!scale) throw new TerraneError(`X-Terrane-Encoding tells nothing of "${name}": ${encoding}`);
    return scale;
  });
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
