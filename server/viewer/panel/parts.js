/* What a legend says: each step of a style, as the world's descriptor tells it, at the zoom that is
 * shown. Steps that cover the map become ramps; those that show in some places only (by a mask) are
 * named by the layer of the mask, with a small sample. Nothing here knows the page: parts are
 *   {kind: 'ramp', title, stops: [[value, colour], …], unit}
 *   {kind: 'samples', rows: [{title, stops}]}
 *   {kind: 'lines', rows: [{text, color, width}]}
 *   {kind: 'note', text} */

import { plainLayer } from '../app/api.js';
import { layerTitle } from '../app/layers.js';
import { valueText, windName } from '../app/place.js';
import { tr } from '../texts/texts.js';
import { cropStops } from './ramp.js';

/* What covers the map more thinly is texture, and what covers it more thickly hides it. */
const TEXTURE = 0.25;
const OPAQUE = 0.9;

const note = (text) => ({ kind: 'note', text });
const ramp = (title, stops, unit) => ({ kind: 'ramp', title, stops, unit });
const samples = (list) =>
  ({ kind: 'samples', rows: list.map(({ title, color }) => ({ title, stops: [[0, color]] })) });

/* The value of a curve of [at, value]: that of the last point reached, or between points. */
function steps(curve, at) {
  return curve.findLast(([from]) => at >= from)?.[1] ?? curve[0][1];
}

function linear(curve, at) {
  const next = curve.findIndex(([from]) => from > at);
  if (next <= 0) return curve.at(next)[1];
  const [[a, low], [b, high]] = [curve[next - 1], curve[next]];
  return low + (high - low) * (at - a) / (b - a);
}

function light({ lights, exaggeration }, { spacing }) {
  const [azimuth, altitude] = lights.reduce((most, each) => (each[2] > most[2] ? each : most));
  const from = altitude > 85 ? tr('Light from above')
    : tr('Light from the {0}, {1}° above the horizon', windName(azimuth), Math.round(altitude));
  const factor = Number(linear(exaggeration, spacing).toPrecision(2));
  return note(factor === 1 ? `${from}.` : tr('{0}; heights × {1} at this zoom.', from, factor));
}

function contours({ intervals, index, color, index_color: bold }, { spacing }) {
  const interval = steps(intervals, spacing);
  const row = (stroke, width, metres) =>
    ({ color: stroke, width, text: tr('every {0}', valueText(metres, 'm')) });
  return { kind: 'lines', rows: [row(color, 1.5, interval),
    ...(index > 0 ? [row(bold, 3, interval * index)] : [])] };
}

function objects({ from }, { world, spacing }) {
  const shown = world.objects.filter(({ radius }) => radius / spacing > from);
  if (shown.length > 0) return samples(shown);
  const near = world.objects.length > 0 && spacing < 16;
  return near ? note(tr('Single objects show from nearer by.')) : null;
}

function bar({ layer, stops, unit }, { world }) {
  if (stops.length === 1) return samples([{ title: layerTitle(layer), color: stops[0][1] }]);
  const range = world.layers.find(({ name }) => name === layer)?.range;
  return ramp(layerTitle(layer), layer === 'height' && range ? cropStops(stops, range) : stops,
    unit);
}

/* Metres of water that a world can have: below sea level, or in lakes, if it has the layers. */
function deepestWater({ layers }) {
  const rangeOf = (wanted) => layers.find(({ name }) => name === wanted)?.range;
  const sea = Math.max(0, -(rangeOf('height')?.[0] ?? -Infinity));
  const hasLakes = layers.some(({ name }) => name === 'water_level');
  return hasLakes ? Math.max(sea, rangeOf('depth')?.[1] ?? Infinity) : sea;
}

function water({ stops, unit }, { world }) {
  const deepest = deepestWater(world);
  return deepest > 0 ? ramp(tr('Depth of water'), cropStops(stops, [0, deepest]), unit) : null;
}

/* How each kind of step is told; kinds of numbers in pictures have a sentence. */
const KINDS = {
  ramp: bar,
  slope: ({ stops, unit }) => ramp(tr('Slope'), stops, unit),
  water,
  biomes: (_, { world }) => samples(world.biomes),
  materials: (_, { world }) => samples(world.materials),
  shade: light,
  contour: contours,
  objects,
  grey: ({ layer, range: [low, high], unit }) =>
    ramp(layerTitle(layer), [[low, '#000000'], [high, '#ffffff']], unit),
  terrarium: () => note(tr('Heights as numbers: 256 · red + green + blue / 256 − 32768 m.')),
  mapbox: () => note(
    tr('Heights as numbers: (65536 · red + 256 · green + blue) / 10 − 10000 m.')),
  normal: () => note(
    tr('The way that the ground faces: east in red, north in green, up in blue.')),
};
KINDS.grey16 = KINDS.grey;

/* What is told below the colours, in this order. */
const NOTES = ['contour', 'objects', 'shade'];

/* Steps in some places only: one sample for each word of their masks, of the step that is painted
 * last. */
function places(items) {
  const titleOf = ({ kind, mask }) =>
    (kind === 'water' ? tr('Lakes, rivers') : layerTitle(mask.layer));
  const byTitle = new Map(items.map((item) => [titleOf(item), item]));
  const rows = [...byTitle].map(([title, { stops }]) => ({ title, stops }));
  return rows.length > 0 ? [{ kind: 'samples', rows }] : [];
}

/* A ramp of amounts that hides what it lies on has values to read, wherever it shows. */
const isReadable = ({ kind, stops, unit, opacity = 1 }) =>
  kind === 'ramp' && stops.length > 2 && unit !== '' && opacity >= OPAQUE;
const isPlace = (item) => item.mask !== undefined && item.stops !== undefined && !isReadable(item);
const isNote = ({ kind }) => NOTES.includes(kind);
const isTexture = ({ kind, opacity = 1 }) => ['ramp', 'biomes'].includes(kind) && opacity < TEXTURE;

/* The steps of a style or layer that show at so many metres a pixel. */
function legendItems(world, style, spacing) {
  const layer = plainLayer(world, style);
  const items = layer === null ? world.styles.find(({ name }) => name === style).legend
    : [layer.name === 'biome' ? { kind: 'biomes' } : { kind: 'grey', layer: layer.name, ...layer }];
  return items.filter((item) => !isTexture(item) && !(spacing >= item.until));
}

/* The legend of a style or layer at so many metres a pixel. */
export function legendParts(world, style, spacing) {
  const items = legendItems(world, style, spacing);
  const tell = (item) => KINDS[item.kind]?.(item, { world, spacing });
  return [
    ...items.filter((item) => !isPlace(item) && !isNote(item)).map(tell),
    ...places(items.filter(isPlace)),
    ...NOTES.flatMap((kind) => items.filter((item) => item.kind === kind)).map(tell),
  ].filter(Boolean);
}
