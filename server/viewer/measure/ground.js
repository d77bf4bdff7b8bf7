/* The ground below a line or within an area, as the server has it. */

import { getJson, getSamples, pinned } from '../app/api.js';
import { ZOOM_MAX, exactText, metresPerPixel } from '../app/place.js';
import { boundsOf, crossings, legs, placeAlong, sum } from './geometry.js';

const SAMPLES = 512;
/* The server takes 64 corners in an address of 2000 bytes, of which each may have 34. */
const CORNERS = 32;
/* Closer samples than this have full detail; others what is as wide as they are apart, for what is
 * finer would be seen by chance alone, at the cost of all of it. */
const FULL_DETAIL = 32;
/* Samples of an area along its longer side, at most. */
const GRID = 128;
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

/* What a walk from sample to sample rises, falls, and is long on the ground; what of it is wet. */
function totals({ distances, heights, levels }) {
  const found = { ascent: 0, descent: 0, walked: 0, wet: 0 };
  for (let i = 1; i < heights.length; i++) {
    const rise = heights[i] - heights[i - 1];
    const step = distances[i] - distances[i - 1];
    found[rise > 0 ? 'ascent' : 'descent'] += Math.abs(rise);
    found.walked += Math.hypot(step, rise);
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

/* The chunks of GRID steps that cover a rectangle: at most two each way. */
function chunksOver({ west, north, east, south }, step) {
  const side = GRID * step;
  const chunks = [];
  for (let cy = Math.floor(north / side); cy * side < south; cy++) {
    for (let cx = Math.floor(west / side); cx * side < east; cx++) chunks.push({ cx, cy });
  }
  return chunks;
}

/* Calls visit(height) for each sample of a chunk that lies in the area. */
function visitWithin(points, { cx, cy }, step, samples, visit) {
  for (let row = 0; row < GRID; row++) {
    const across = crossings(points, (cy * GRID + row) * step);
    for (let i = 0; i + 1 < across.length; i += 2) {
      const first = Math.max(0, Math.ceil(across[i] / step - cx * GRID));
      const end = Math.min(GRID - 1, Math.floor(across[i + 1] / step - cx * GRID));
      for (let k = first; k <= end; k++) visit(samples[row * (GRID + 1) + k]);
    }
  }
}

/* Heights within an area, on a grid of `step` metres: {count, step, mean, lowest, highest}; the
 * last three are null where the area misses the grid. */
export async function getAreaHeights(world, points, signal) {
  const bounds = boundsOf(points);
  const wide = Math.max(bounds.east - bounds.west, bounds.south - bounds.north);
  const step = Math.max(STEP_MIN, 2 ** Math.ceil(Math.log2(wide / GRID)));
  if (step > STEP_MAX) throw new Error('Heights are measured in areas of up to 8000 km a side.');
  const chunks = chunksOver(bounds, step);
  const grids = await Promise.all(chunks.map(({ cx, cy }) =>
    getSamples(`${pinned(world)}/chunks/${cx}/${cy}.r32f?size=${GRID}&step=${step}`, signal)));
  const found = { count: 0, total: 0, lowest: Infinity, highest: -Infinity };
  chunks.forEach((chunk, i) => visitWithin(points, chunk, step, grids[i], (height) => {
    found.count++;
    found.total += height;
    found.lowest = Math.min(found.lowest, height);
    found.highest = Math.max(found.highest, height);
  }));
  const { count, total, lowest, highest } = found;
  if (count === 0) return { count, step, mean: null, lowest: null, highest: null };
  return { count, step, mean: total / count, lowest, highest };
}
