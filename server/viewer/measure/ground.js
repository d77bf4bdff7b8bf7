/* The ground below a line or within an area, as the server has it. */

import { getJson, getSamples, pinned } from '../app/api.js';
import { ZOOM_MAX, exactText, metresPerPixel } from '../app/place.js';
import { boundsOf, crossings, legs, placeAlong, sum } from './geometry.js';
import { tr } from '../texts/texts.js';

const SAMPLES = 512;
/* The server takes 64 corners in an address of 2000 bytes, of which each may have 34. */
const CORNERS = 32;
/* Closer samples than this have full detail; others what is as wide as they are apart, for what is
 * finer would be seen by chance alone, at the cost of all of it. */
const FULL_DETAIL = 32;
/* Samples of an area along its longer side, at most, and of a chunk. */
export const CHUNK_STEPS = 128;
const STEP_MIN = 0.0625;
const STEP_MAX = 65536;

/* The coarsest zoom whose pixels are no wider than a step; null for full detail. */
function zoomOf(step) {
  if (step <= FULL_DETAIL) return null;
  return Math.max(0, Math.min(ZOOM_MAX, Math.ceil(Math.log2(metresPerPixel(0) / step))));
}

/* Parts of a line with few enough corners; each begins where the one before ends. */
function partsOf(points) {
  const parts = [];
  for (let first = 0; first + 1 < points.length; first += CORNERS - 1) {
    parts.push(points.slice(first, first + CORNERS));
  }
  return parts.filter((part) => sum(legs(part)) > 0);
}

/* The addresses of the profiles of a line's parts. */
function profileAddresses(world, points) {
  const length = sum(legs(points));
  const zoom = zoomOf(length / SAMPLES);
  return partsOf(points).map((part) => {
    const line = part.map(({ x, y }) => [x, y].map(exactText).join(',')).join(';');
    const samples = Math.max(2, Math.round(SAMPLES * sum(legs(part)) / length));
    return `${pinned(world)}/profile?line=${line}&samples=${samples}${
      zoom === null ? '' : `&zoom=${zoom}`}`;
  });
}

/* What a walk from sample to sample rises, falls, and is long on the ground; what of it is wet; its
 * steepest step, as rise over run. */
function totals({ distances, heights, levels }) {
  const found = { ascent: 0, descent: 0, walked: 0, wet: 0, steepest: 0 };
  for (let i = 1; i < heights.length; i++) {
    const rise = heights[i] - heights[i - 1];
    const step = distances[i] - distances[i - 1];
    found[rise > 0 ? 'ascent' : 'descent'] += Math.abs(rise);
    found.walked += Math.hypot(step, rise);
    if (step > 0) found.steepest = Math.max(found.steepest, Math.abs(rise) / step);
    const wet = [i - 1, i].filter((k) => levels[k] > heights[k]).length;
    found.wet += step * wet / 2;
  }
  return found;
}

/* The profile of a line: `distances`, `heights` and water `levels` at its samples, their `spacing`
 * (0 is full detail), the totals, and the index of the lowest and the highest. */
export async function getProfile(world, points, signal) {
  const answers = await Promise.all(
    profileAddresses(world, points).map((address) => getJson(address, signal)));
  const profile = { distances: [], heights: [], levels: [], spacing: answers[0].spacing };
  let start = 0;
  for (const [i, answer] of answers.entries()) {
    const from = i === 0 ? 0 : 1; /* the end of the part before */
    const offset = start;
    profile.distances.push(...answer.distances.slice(from).map((metres) => metres + offset));
    profile.heights.push(...answer.heights.slice(from));
    profile.levels.push(...answer.water_levels.slice(from));
    start += answer.length;
  }
  const { heights } = profile;
  return {
    ...profile, ...totals(profile), length: start,
    places: profile.distances.map((along) => placeAlong(points, along)),
    lowest: heights.indexOf(Math.min(...heights)), highest: heights.indexOf(Math.max(...heights)),
  };
}

/* The step of the grid that is laid on an area. */
export function stepOf(points) {
  const { west, north, east, south } = boundsOf(points);
  const wide = Math.max(east - west, south - north);
  const step = Math.max(STEP_MIN, 2 ** Math.ceil(Math.log2(wide / CHUNK_STEPS)));
  if (step > STEP_MAX) {
    throw new Error(tr('Heights are measured in areas of up to 8000 km a side.'));
  }
  return step;
}

/* The chunks of CHUNK_STEPS steps that cover an area's bounds: at most two each way. */
export function chunksWithin(points, step) {
  const { west, north, east, south } = boundsOf(points);
  const side = CHUNK_STEPS * step;
  const chunks = [];
  for (let cy = Math.floor(north / side); cy * side < south; cy++) {
    for (let cx = Math.floor(west / side); cx * side < east; cx++) chunks.push({ cx, cy });
  }
  return chunks;
}

/* The indices of a chunk's samples, row by row from the north-west, that lie in the area. */
export function* indicesWithin(points, { cx, cy }, step) {
  for (let row = 0; row < CHUNK_STEPS; row++) {
    const across = crossings(points, (cy * CHUNK_STEPS + row) * step);
    for (let i = 0; i + 1 < across.length; i += 2) {
      const first = Math.max(0, Math.ceil(across[i] / step - cx * CHUNK_STEPS));
      const end = Math.min(CHUNK_STEPS - 1, Math.floor(across[i + 1] / step - cx * CHUNK_STEPS));
      for (let k = first; k <= end; k++) yield row * (CHUNK_STEPS + 1) + k;
    }
  }
}

/* Heights within an area, on a grid of `step` metres: {count, step, mean, lowest, highest}; the
 * last three are null where the area misses the grid. */
export async function getAreaHeights(world, points, signal) {
  const step = stepOf(points);
  const chunks = chunksWithin(points, step);
  const grids = await Promise.all(chunks.map(({ cx, cy }) => getSamples(
    `${pinned(world)}/chunks/${cx}/${cy}.r32f?size=${CHUNK_STEPS}&step=${step}`, signal)));
  const found = { count: 0, total: 0, lowest: Infinity, highest: -Infinity };
  for (const [i, chunk] of chunks.entries()) {
    for (const index of indicesWithin(points, chunk, step)) {
      const height = grids[i][index];
      found.count++;
      found.total += height;
      found.lowest = Math.min(found.lowest, height);
      found.highest = Math.max(found.highest, height);
    }
  }
  const { count, total, lowest, highest } = found;
  if (count === 0) return { count, step, mean: null, lowest: null, highest: null };
  return { count, step, mean: total / count, lowest, highest };
}
