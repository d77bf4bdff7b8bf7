/* What the page asks of the server. Addresses are relative to the page. */

import { worldAddress } from './permalink.js';
import { tr } from '../texts/texts.js';

/* What stands around the server's own explanation, which is in English, for readers of another
 * language: by the type of the problem, or in general. In English it stands alone. */
const FRAMES = {
  busy: (detail) => tr('{0}|too busy', detail),
  gone: (detail) => tr('{0}|no longer the same', detail),
  'not-found': (detail) => tr('{0}|not found', detail),
  parameter: (detail) => tr('{0}|bad parameter', detail),
  stopping: (detail) => tr('{0}|shutting down', detail),
  'too-large': (detail) => tr('{0}|too large', detail),
  'too-many': (detail) => tr('{0}|too many requests', detail),
};
const usualFrame = (detail) => tr('{0}|the server says', detail);

/* The server answered, but not with what was asked: `message` is its own explanation. */
export class Refusal extends Error {
  /* `column` and `fits` are those of the problem, if it has them. */
  constructor(status, message, { column, fits } = {}) {
    super(message);
    Object.assign(this, { status, column, fits });
  }
}

/* The server did not answer. */
export class Unreachable extends Error {
  constructor() {
    super(tr('The server does not answer.'));
  }
}

async function refusalOf(response) {
  let problem = null;
  try {
    problem = await response.json();
  } catch {
    /* Not every proxy in between speaks problem+json. */
  }
  const frame = FRAMES[problem?.type?.split('/').at(-1)] ?? usualFrame;
  const said = problem?.detail ? frame(problem.detail)
    : tr('the server answered {0}', response.status);
  const message = said.replace(/^./u, (first) => first.toUpperCase());
  return new Refusal(response.status, message, problem ?? {});
}

/* Every browser that runs this page shows WebP; the descriptor of a world then has such tiles. */
const headers = { Accept: 'application/json, image/webp' };

/* The answer to a request that the server grants; throws Refusal or Unreachable. */
export async function request(address, options) {
  let response;
  try {
    response = await fetch(address, options);
  } catch (error) {
    throw options?.signal?.aborted ? error : new Unreachable();
  }
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/* The JSON at an address. */
export async function getJson(address, signal) {
  return (await request(address, { headers, signal })).json();
}

/* The samples at an address that ends in .r32f: little-endian floats. */
export async function getSamples(address, signal) {
  const bytes = new DataView(await (await request(address, { signal })).arrayBuffer());
  return Float32Array.from({ length: bytes.byteLength / 4 },
    (_, i) => bytes.getFloat32(4 * i, true));
}

export function getWorlds() {
  return getJson('worlds');
}

/* A world's descriptor, with what its addresses are made of. */
export async function getWorld(name, seed, signal) {
  const address = worldAddress(name, seed);
  const descriptor = await getJson(`worlds/${address}`, signal);
  return { ...descriptor, address, chosenSeed: seed };
}

/* Below a pinned world no answer is another world's: once it changes, they are refused. */
export function pinned(world) {
  return `worlds/${world.address}@${world.fingerprint}`;
}

/* The style or layer of a world that has this name, or undefined. */
export function findStyle(world, name) {
  return [...world.styles, ...world.layers].find((entry) => entry.name === name);
}

/* Whether the colours of a style are code, which no eye can read. */
export const isEncoded = (style) =>
  ['mapbox', 'normal', 'terrarium'].includes(style?.legend?.[0]?.kind);

/* Whether a style of the world is made for programs to read: its colours are code, or a grey that is
 * not what the world is shown in. */
export function isForPrograms(world, style) {
  const isGrey = ['grey', 'grey16'].includes(style.legend?.[0]?.kind);
  return isEncoded(style) || (isGrey && style.name !== world.view.style);
}

/* A style is pinned too, for it may get other colours, and so is a layer, for its range. Layers are
 * grey, which PNG makes smaller. `time`: seconds, for styles that move, or null. */
export function tileTemplate(world, name, time = null) {
  const style = findStyle(world, name);
  const pin = style?.fingerprint ? `@${style.fingerprint}` : '';
  const format = style?.tiles?.split('.').at(-1) ?? 'png';
  return `${pinned(world)}/tiles/${encodeURIComponent(name)}${pin}/{z}/{x}/{y}{r}.${format}${
    time !== null && style?.time ? `?t=${time}` : ''}`;
}

/* What is at a place; x and y are decimal text. */
export function getPlace(world, { x, y, zoom, time = null }, signal) {
  const moment = time === null ? '' : `&t=${time}`;
  return getJson(`${pinned(world)}/at?x=${x}&y=${y}&zoom=${zoom}${moment}`, signal);
}

/* The layer that a map of this name shows plainly, in grey; null if the name is a style's. */
export function plainLayer(world, name) {
  if (world.styles.some((style) => style.name === name)) return null;
  return world.layers.find((layer) => layer.name === name) ?? null;
}

/* Whether the height of a world is that of ground, in metres. Of a pattern, as wood, it is a number:
 * its layer has no unit, and nothing has a name. */
export function hasGround({ layers, names_fingerprint: names }) {
  return names !== null || layers.find(({ name }) => name === 'height').unit !== '';
}

/* Whether a world has rivers: only a drainage network makes them. */
export function hasRivers(world) {
  return world.layers.some(({ formula }) => formula?.includes('drainage('));
}
