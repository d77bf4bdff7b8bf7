/* What the server says of an area of the world: shares of biomes, statistics of layers, and rivers.
 * A rectangle is asked for by /stats; an area with other corners is sampled as chunks, of which the
 * samples within its border are counted. An area is {ring, box}: its corners, and whether they are
 * a rectangle along the axes. */

import { Refusal, getJson, getSamples, hasRivers, pinned } from '../app/api.js';
import { exactText } from '../app/place.js';
import { areaOf, boundsOf } from '../measure/geometry.js';
import { CHUNK_STEPS, chunksWithin, indicesWithin, stepOf } from '../measure/ground.js';
import { lengthWithin } from './clip.js';
import { summarize } from './summary.js';
import { tr } from '../texts/texts.js';

/* Samples along the longer side: a hundredth of a share can be seen, and terra takes 0.2 s. */
const SAMPLES = 128;
const SAMPLES_MIN = 16;
/* A river drains at least this part of the area, or it would be too small to be seen in it. */
const RIVER_PART = 1 / 200;
const RIVERS_SHOWN = 5;
const LABEL_PIXELS = 1024;

/* A chunk has 16 layers at most; two of them are those of water and biomes. */
const LAYERS_MAX = 14;

/* Layers that tell of the climate but may have no unit. */
const CLIMATE = /^(temperature|warmth|precipitation|rain|rainfall|moisture|humidity)$/;

/* The layers that have statistics worth reading: those with a unit, and those of the climate. */
export const layersOf = (world) => world.layers.filter(({ name, unit }) =>
  name === 'height' || (name !== 'biome' && (unit || CLIMATE.test(name)))).slice(0, LAYERS_MAX);

export const isClimate = ({ name, unit }) => CLIMATE.test(name) || unit === '°C' || unit === 'mm/a';

const bboxOf = ({ west, north, east, south }) =>
  [west, north, east, south].map(exactText).join(',');

async function askStats(world, ring, signal) {
  const bbox = bboxOf(boundsOf(ring));
  for (let samples = SAMPLES; ; samples /= 2) {
    try {
      return await getJson(`${pinned(world)}/stats?bbox=${bbox}&samples=${samples}`, signal);
    } catch (error) {
      const isDear = error instanceof Refusal && error.status === 413;
      if (!isDear || samples <= SAMPLES_MIN) throw error;
    }
  }
}

/* The samples of layers within a ring, one array for each layer, in the layers' order. */
async function sampleWithin(world, ring, names, signal) {
  const step = stepOf(ring);
  const columns = CHUNK_STEPS + 1;
  const layers = names.map(encodeURIComponent).join(',');
  const found = names.map(() => []);
  await Promise.all(chunksWithin(ring, step).map(async ({ cx, cy }) => {
    const samples = await getSamples(`${pinned(world)}/chunks/${cx}/${cy}.r32f?layers=${layers}`
      + `&size=${CHUNK_STEPS}&step=${step}`, signal);
    for (const index of indicesWithin(ring, { cx, cy }, step)) {
      found.forEach((values, i) => values.push(samples[i * columns * columns + index]));
    }
  }));
  return { step, found: found.map((values) => Float32Array.from(values)) };
}

/* The same as askStats() for an area of any shape. */
async function sampleStats(world, ring, signal) {
  const has = (name) => world.layers.some((layer) => layer.name === name);
  const names = layersOf(world).map(({ name }) => name);
  const asked = [...new Set([...names, ...['water_level', 'biome'].filter(has)])];
  const { step, found } = await sampleWithin(world, ring, asked, signal);
  const of = (name) => found[asked.indexOf(name)];
  const heights = of('height');
  if (heights.length === 0) throw new Error(tr('The area is narrower than the grid of samples.'));
  const levels = of('water_level');
  const land = heights.reduce((count, height, i) =>
    count + (height >= (levels?.[i] ?? 0) ? 1 : 0), 0);
  const counts = {};
  for (const index of of('biome') ?? []) {
    const { name } = world.biomes[index];
    counts[name] = (counts[name] ?? 0) + 1 / heights.length;
  }
  const layers = Object.fromEntries(layersOf(world).map(({ name, unit }) =>
    [name, summarize(Float32Array.from(of(name)), unit)]));
  return { step, land: land / heights.length, biomes: counts, layers };
}

/* The digit 1, 2 or 5 and a power of ten at or above a number. */
function roundUp(number) {
  const power = 10 ** Math.floor(Math.log10(number));
  return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= number * (1 - 1e-9));
}

/* Names of rivers by their ids; none if the server has none to give. */
async function riverNames(world, bounds, signal) {
  const wide = Math.max(bounds.east - bounds.west, bounds.south - bounds.north);
  const zoom = Math.max(0, Math.min(20, Math.floor(17 + Math.log2(LABEL_PIXELS / wide))));
  try {
    const { labels } = await getJson(
      `${pinned(world)}/labels?bbox=${bboxOf(bounds)}&zoom=${zoom}`, signal);
    return new Map(labels.map(({ id, name }) => [id, name]));
  } catch (error) {
    if (signal.aborted) throw error;
    return new Map();
  }
}

/* {minFlow, total, longest}: metres of rivers within the ring, and the longest of them; null for
 * worlds without rivers. */
export async function askRivers(world, { ring }, signal) {
  if (!hasRivers(world)) return null;
  const bounds = boundsOf(ring);
  const list = (minFlow) => getJson(
    `${pinned(world)}/rivers?bbox=${bboxOf(bounds)}&min_flow=${minFlow}`, signal);
  let minFlow = roundUp(Math.max(1e4, areaOf(ring) * RIVER_PART));
  const names = world.names_fingerprint === null ? new Map()
    : riverNames(world, bounds, signal);
  const listed = list(minFlow).catch((error) => {
    const [, fits] = /min_flow=(\d+) fits/.exec(error.message) ?? [];
    if (!(error instanceof Refusal) || fits === undefined) throw error;
    minFlow = Number(fits);
    return list(minFlow);
  });
  const [{ rivers }, known] = await Promise.all([listed, names]);
  const inside = rivers
    .map(({ id, width, line }) => ({ id, width, length: lengthWithin(ring, line) }))
    .filter(({ length }) => length > 0).sort((a, b) => b.length - a.length);
  return {
    minFlow, count: inside.length,
    total: inside.reduce((total, { length }) => total + length, 0),
    longest: inside.slice(0, RIVERS_SHOWN).map((river) =>
      ({ ...river, name: known.get(river.id) })),
  };
}

/* {step, land, biomes, layers} of an area. */
export const askArea = (world, { ring, box }, signal) =>
  (box ? askStats : sampleStats)(world, ring, signal);
