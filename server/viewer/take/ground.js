/* Heights and models of a square: one chunk of the server. */

import { Refusal, pinned, request } from '../app/api.js';
import { tr } from '../texts/texts.js';

/* The address of the chunk that is a grid of samples (area.js): size + 1 of them a side. A chunk
 * begins at multiples of its size; dx and dy shift it to any sample. */
export function chunkAddress(app, { left, top, columns: size, step }, { format, crs, colours }) {
  const cell = [left, top].map((first) => Math.floor(first / size));
  const words = [`size=${size}`, `step=${step}`];
  const shift = { dx: left - cell[0] * size, dy: top - cell[1] * size };
  for (const [name, steps] of Object.entries(shift)) if (steps > 0) words.push(`${name}=${steps}`);
  if (format === 'tif' && crs) words.push(`crs=${crs}`);
  if (format === 'glb' && colours) words.push(`style=${encodeURIComponent(colours)}`);
  if (app.time) words.push(`t=${app.time}`);
  return `${pinned(app.world)}/chunks/${cell.join('/')}.${format}?${words.join('&')}`;
}

/* The bytes of such a file, nearly: floats; or positions, normals, texture places, colours, and two
 * triangles a square. */
export function chunkBytes({ columns }, { format, colours }) {
  const samples = (columns + 1) ** 2;
  return format === 'tif' ? 4 * samples + 500
    : (32 + (colours ? 8 : 0)) * samples + (samples > 65535 ? 24 : 12) * columns ** 2 + 1500;
}

/* What the server refuses as too expensive, and says of how many steps it would make it. */
function plainly(error) {
  if (!(error instanceof Refusal && error.fits)) return error;
  const side = error.fits + 1;
  return new Error(tr('The server makes at most {0} × {1} of these at once. '
    + 'Choose a smaller square, or samples that are farther apart.', side, side));
}

/* The file as a Blob. progress(share) is called while it comes. */
export async function getChunk(address, bytes, { progress, signal }) {
  const response = await request(address, { signal }).catch((error) => {
    throw plainly(error);
  });
  const reader = response.body.getReader();
  const parts = [];
  let come = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    come += value.length;
    progress(Math.min(1, come / bytes));
  }
}
