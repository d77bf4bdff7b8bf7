/* The map of a sheet, from /render, and a sheet as a picture. Both are data: addresses on the way,
 * as the page's policy allows no others for pictures. */

import { findStyle, pinned } from '../app/api.js';
import { exactText } from '../app/place.js';
import { fetchPatiently, hasWebp } from '../take/picture.js';
import { tr } from '../texts/texts.js';

const WEBP_MOST = 6e6; /* pixels: it is encoded at once, by what a request may cost */
const TOO_LARGE = tr('This browser cannot make so large a picture. Choose a smaller paper, or print.');

export const bboxOf = ({ west, north, east, south }) =>
  [west, north, east, south].map((metres) => exactText(Number(metres.toFixed(2)))).join(',');

function renderAddress(app, area, { width, height }) {
  const style = findStyle(app.world, app.style);
  const query = new URLSearchParams({
    bbox: bboxOf(area), width, style: app.style,
    format: hasWebp(app) && width * height <= WEBP_MOST ? 'webp' : 'png',
  });
  if (app.time !== null && style?.time) query.set('t', app.time);
  return `${pinned(app.world)}/render?${query}`;
}

function dataAddress(blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.addEventListener('error', () => reject(reader.error));
    reader.readAsDataURL(blob);
  });
}

/* The address of a picture of the map in so many pixels. */
export async function mapPicture(app, area, size, signal) {
  const response = await fetchPatiently(renderAddress(app, area, size), signal);
  return dataAddress(await response.blob());
}

function crc32(bytes) {
  let rest = ~0;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit += 1) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return ~rest >>> 0;
}

const HEAD_BYTES = 33; /* the signature of a PNG and its chunk IHDR */

/* A PNG that says how many of its pixels are an inch, in a chunk pHYs behind the first one: so other
 * programs print it in its size, and its scale is true. */
function withResolution(png, perInch) {
  const chunk = new DataView(new ArrayBuffer(21));
  const pixelsPerMetre = Math.round(perInch * 1000 / 25.4);
  chunk.setUint32(0, 9);
  chunk.setUint32(4, 0x70485973); /* "pHYs" */
  chunk.setUint32(8, pixelsPerMetre);
  chunk.setUint32(12, pixelsPerMetre);
  chunk.setUint8(16, 1); /* the unit is the metre */
  chunk.setUint32(17, crc32(new Uint8Array(chunk.buffer, 4, 13)));
  return new Blob([png.slice(0, HEAD_BYTES), chunk, png.slice(HEAD_BYTES)], { type: png.type });
}

/* A drawing as a PNG that is so many pixels wide and high, of which so many are an inch. */
export async function pngOf(drawing, { width, height }, perInch) {
  const image = new Image();
  const text = new XMLSerializer().serializeToString(drawing);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error(TOO_LARGE);
  return withResolution(blob, perInch);
}
