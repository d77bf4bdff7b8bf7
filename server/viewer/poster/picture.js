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

/* A drawing as a PNG that is so many pixels wide and high. */
export async function pngOf(drawing, width, height) {
  const image = new Image();
  const text = new XMLSerializer().serializeToString(drawing);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.getContext('2d')?.drawImage(image, 0, 0, width, height);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob === null) throw new Error(TOO_LARGE);
  return blob;
}
