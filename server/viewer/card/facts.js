/* What the card says of a place from the server's answers: height, water, ground, climate, and how
 * that differs from what the map shows at its zoom. */

import { hasGround, plainLayer } from '../app/api.js';
import { h } from '../app/dom.js';
import { layerTitle } from '../app/layers.js';
import { heightText, metresPerPixel, valueText, windName } from '../app/place.js';
import { areaText, distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';

const titleOf = (list, name) =>
  list.find((entry) => entry.name === name)?.title ?? layerTitle(name);

export function biomeOf(world, { biome }) {
  return world.biomes.find(({ name }) => name === biome) ?? null;
}

function waterText({ water }) {
  if (water === null) return tr('Dry');
  const depth = tr('{0} deep', heightText(water.depth));
  return water.level === 0 ? tr('Sea, {0}', depth)
    : tr('{0}, surface at {1}', depth, heightText(water.level));
}

function slopeText({ slope, aspect }) {
  return slope < 0.05 ? tr('Level') : tr('{0}°, falls to the {1}', slope.toFixed(1),
    windName(aspect));
}

/* The largest shares of materials, in percent. */
function materialText(world, { materials = {} }) {
  return Object.entries(materials)
    .map(([name, share]) => ({ name, percent: Math.round(share / 2.55) }))
    .filter(({ percent }) => percent > 0)
    .sort((a, b) => b.percent - a.percent)
    .map(({ name, percent }) => `${titleOf(world.materials, name)} ${percent}\u202f%`)
    .join(', ');
}

/* Layers that are a value of the drainage network alone, by its name: what to call them, and how. */
const NETWORK = {
  distance: (value) => [tr('Stream'), tr('{0} away', distanceText(value))],
  flow: (value) => [tr('It drains'), tr('{0} of land', areaText(Number(value.toPrecision(2))))],
};

/* A value as finely as it makes sense to people. */
function sensible(value, unit) {
  if (unit === 'm') return heightText(value);
  if (unit === 'm²') return areaText(value);
  if (unit === '°C') return valueText(Number(value.toFixed(1)), unit);
  return valueText(Number(value.toPrecision(3)), unit);
}

function layerRow({ name, formula, unit }, value) {
  const output = /^drainage\("(\w+)"\)$/.exec(formula)?.[1];
  return NETWORK[output]?.(value) ?? [layerTitle(name), sensible(value, unit)];
}

/* Layers with a unit are for people, and so is the one that the map shows; the height stands above,
 * and the depth beside the water. */
function layerRows(world, { layers }, style) {
  const shown = plainLayer(world, style)?.name;
  return world.layers
    .filter(({ name, unit }) => (unit !== '' || name === shown)
      && !['height', 'depth', 'biome'].includes(name))
    .map((layer) => layerRow(layer, layers[layer.name]));
}

/* The rows of the card's table, pairs of texts, where the map has a style. */
export function factRows(world, answer, style) {
  const materials = materialText(world, answer);
  return [
    ...(hasGround(world) ? [[tr('Slope'), slopeText(answer)], [tr('Water'), waterText(answer)]]
      : []),
    ...(materials === '' ? [] : [[tr('Ground'), materials]]),
    ...layerRows(world, answer, style),
  ];
}

export function factList(rows) {
  return h('dl', { class: 'facts' }, rows.map(([name, value]) =>
    h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

/* How the map differs from the place at full detail; an empty text if it does not. */
export function detailText(world, full, shown, zoom) {
  if (!hasGround(world)) return '';
  const [height, ground] = [heightText(shown.height), biomeOf(world, shown)?.title];
  const other = full.biome !== shown.biome;
  if (height === heightText(full.height) && !other) return '';
  const pixel = metresPerPixel(zoom);
  const what = other ? tr('{0} and {1}', height, ground) : height;
  return tr('The map shows {0} here: at this zoom a pixel is {1} wide, and '
    + 'shapes below {2} are left out. This card has full detail.', what, distanceText(pixel),
    distanceText(2 * pixel));
}
