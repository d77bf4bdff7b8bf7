/* The ground around a place as a square of samples, from the chunks of the server: what one would
 * stand on, so water counts where it is above its bed. */

import { getSamples, pinned } from '../app/api.js';

const CHUNK = 256; /* steps a side of a chunk, which has one sample more */
const LEVEL = 'water_level';

/* The samples of a chunk, a plane for each layer one after the other. */
function getChunk(world, column, row, step, layers, signal) {
  const query = `size=${CHUNK}&step=${step}&layers=${layers}`;
  return getSamples(`${pinned(world)}/chunks/${column}/${row}.r32f?${query}`, signal);
}

/* Copies what a chunk has of the square; `left` and `top` are the square's first sample in it. */
function copySurface(chunk, left, top, heights, width) {
  const side = CHUNK + 1;
  const levels = chunk.length > side * side ? side * side : -1;
  const level = (index) => (levels < 0 ? 0 : chunk[levels + index]);
  for (let row = Math.max(top, 0); row < Math.min(top + width, side); row += 1) {
    for (let column = Math.max(left, 0); column < Math.min(left + width, side); column += 1) {
      const index = row * side + column;
      heights[(row - top) * width + column - left] = Math.max(chunk[index], level(index));
    }
  }
}

/* {heights, width, left, top}: samples `step` metres apart, the first one at (left, top) · step,
 * with `radius` of them to each side of the place; `radius` is at most half of a chunk. */
export async function groundAround(world, place, step, radius, signal) {
  const width = 2 * radius + 1;
  const [left, top] = [place.x, place.y].map((metres) => Math.floor(metres / step) - radius);
  const heights = new Float32Array(width * width);
  const layers = world.layers.some(({ name }) => name === LEVEL) ? `height,${LEVEL}` : 'height';
  const chunks = (first) =>
    [...new Set([first, first + width - 2].map((at) => Math.floor(at / CHUNK)))];
  await Promise.all(chunks(left).flatMap((column) => chunks(top).map(async (row) => {
    const chunk = await getChunk(world, column, row, step, layers, signal);
    copySurface(chunk, left - column * CHUNK, top - row * CHUNK, heights, width);
  })));
  return { heights, width, left, top };
}
