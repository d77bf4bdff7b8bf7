/* Chunks as a client reads them: what the contract says of each format, and no code of the server's. */

import { gunzipSync } from 'node:zlib';
import { PNG } from 'pngjs';

/* MurmurHash3 x64 128 with seed 0, after Austin Appleby's reference implementation. */
export function digest(bytes) {
  const mask = (1n << 64n) - 1n;
  const rotate = (value, bits) => ((value << bits) | (value >> (64n - bits))) & mask;
  const mix = (value) => {
    let k = value ^ (value >> 33n);
    k = (k * 0xff51afd7ed558ccdn) & mask;
    k ^= k >> 33n;
    k = (k * 0xc4ceb9fe1a85ec53n) & mask;
    return k ^ (k >> 33n);
  };
  const [c1, c2] = [0x87c37b91114253d5n, 0x4cf5ad432745937fn];
  const padded = Buffer.concat([bytes, Buffer.alloc((16 - (bytes.length % 16)) % 16)]);
  const whole = bytes.length - (bytes.length % 16);
  let [h1, h2] = [0n, 0n];
  for (let at = 0; at < padded.length; at += 16) {
    const k1 = (rotate((padded.readBigUInt64LE(at) * c1) & mask, 31n) * c2) & mask;
    const k2 = (rotate((padded.readBigUInt64LE(at + 8) * c2) & mask, 33n) * c1) & mask;
    h1 ^= k1;
    if (at < whole) h1 = ((((rotate(h1, 27n) + h2) & mask) * 5n) + 0x52dce729n) & mask;
    h2 ^= k2;
    if (at < whole) h2 = ((((rotate(h2, 31n) + h1) & mask) * 5n) + 0x38495ab5n) & mask;
  }
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  h1 = mix(h1);
  h2 = mix(h2);
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  return (h1.toString(16).padStart(16, '0') + h2.toString(16).padStart(16, '0'));
}

export function floats(bytes) {
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}

/* Compared as bytes, which distinguish 0 from −0. */
export function floatBytes(values) {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeFloatLE(value, 4 * i));
  return bytes;
}

export const numbers = (bytes) => Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readUInt16LE(2 * i));

/* A sample in 16 bits: 32768 + 8·h, rounded. */
export const quantised = (sample) => Math.max(0, Math.min(65535, Math.floor(8 * sample + 32768.5)));

/* The inverse of r16z, for grids of `columns` by `columns`, one layer after another. */
export function restore(bytes, columns) {
  const v = gunzipSync(bytes);
  const n = columns * columns;
  const x = new Uint16Array(v.length / 2);
  for (let first = 0; first < x.length; first += n) {
    const at = (k) => x[first + k];
    for (let k = 0; k < n; k++) {
      const z = v[2 * first + k] | (v[2 * first + n + k] << 8);
      const [west, north] = [k % columns > 0, k >= columns];
      const predicted = (west ? at(k - 1) : 0) + (north ? at(k - columns) : 0) - (west && north ? at(k - columns - 1) : 0);
      x[first + k] = ((z >> 1) ^ -(z & 1)) + predicted;
    }
  }
  return x;
}

/* A 16-bit grey PNG; pngjs returns the values unchanged with these options. */
export function greyNumbers(bytes) {
  const { data } = PNG.sync.read(bytes, { skipRescale: true });
  return Uint16Array.from({ length: data.length / 4 }, (_, i) => data[4 * i]);
}

/* Records of a batch: a head of `size` bytes that ends with the length of the payload and its CRC-32,
 * then the payload. `members` reads what only heads of that kind have. */
function readRecords(bytes, size, members) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const head = bytes.subarray(at, at + size);
    const end = at + size + head.readUInt32LE(size - 8);
    found.push({
      magic: head.toString('latin1', 0, 4),
      version: head.readUInt16LE(4),
      status: head.readUInt16LE(6),
      ...members(head),
      crc: head.readUInt32LE(size - 4),
      payload: bytes.subarray(at + size, end),
    });
    at = end;
  }
  return found;
}

/* The records of application/vnd.terrane.chunks. */
export const records = (bytes) => readRecords(bytes, 32, (head) => ({
  x: head.readBigInt64LE(8),
  y: head.readBigInt64LE(16),
}));

/* The records of application/vnd.terrane.volumes. */
export const volumeRecords = (bytes) => readRecords(bytes, 48, (head) => ({
  place: [8, 16, 24].map((offset) => Number(head.readBigInt64LE(offset))),
  low: head.readFloatLE(32),
  high: head.readFloatLE(36),
}));

/* CRC-32 as in RFC 1952, bit by bit. */
export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
