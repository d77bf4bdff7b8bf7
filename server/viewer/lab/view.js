/* The part of the map that nothing covers, and samples of a layer there. */

import { getSamples, pinned } from '../app/api.js';
import { freeBox } from '../map/free.js';
import { toPlace } from '../map/map.js';
import { tr } from '../texts/texts.js';

/* {left, top, right, bottom} in pixels of the map: all that the drawer leaves free. */
const visibleBox = (app) => freeBox(app.map.leaflet, ['drawer']);

/* The place of a point of the map, in pixels. */
const placeAt = (app, x, y) => toPlace(app.map.leaflet.containerPointToLatLng([x, y]));

/* Chunks whose samples are four pixels apart, so that a view is a few of them. */
const CELLS = 128;
const metresPerCell = (zoom) => 2 ** (19 - zoom);
const CELL_MAX = 65536; /* metres, of chunks */

function loadChunk(world, layer, step, [cx, cy], signal) {
  const query = `layers=${encodeURIComponent(layer)}&size=${CELLS}&step=${step}`;
  return getSamples(`${pinned(world)}/chunks/${cx}/${cy}.r32f?${query}`, signal);
}

/* A layer's values in the part of the map that nothing covers, as the map shows them: {grid, in no
 * order; line, those from west to east through the middle; ends, the two places of the line}. */
export async function sampleView(app, layer, signal) {
  const step = metresPerCell(app.map.view().zoom);
  if (step > CELL_MAX) throw new Error(tr('Charts of so wide a view are not made: zoom in.'));
  const box = visibleBox(app);
  const [low, high] = [placeAt(app, box.left, box.top), placeAt(app, box.right, box.bottom)];
  const [x0, y0, x1, y1] = [low.x, low.y, high.x, high.y]
    .map((metres) => Math.round(metres / step));
  const middle = Math.round((y0 + y1) / 2);
  const grid = [];
  const line = new Array(x1 - x0).fill(0);
  const add = async (cx, cy) => {
    const samples = await loadChunk(app.world, layer, step, [cx, cy], signal);
    for (let y = Math.max(y0, cy * CELLS); y < Math.min(y1, (cy + 1) * CELLS); y += 1) {
      for (let x = Math.max(x0, cx * CELLS); x < Math.min(x1, (cx + 1) * CELLS); x += 1) {
        const value = samples[(y - cy * CELLS) * (CELLS + 1) + x - cx * CELLS];
        grid.push(value);
        if (y === middle) line[x - x0] = value;
      }
    }
  };
  const chunks = [];
  for (let cy = Math.floor(y0 / CELLS); cy * CELLS < y1; cy += 1) {
    for (let cx = Math.floor(x0 / CELLS); cx * CELLS < x1; cx += 1) chunks.push(add(cx, cy));
  }
  await Promise.all(chunks);
  return { grid, line, ends: [x0, x1].map((x) => ({ x: x * step, y: middle * step })) };
}
