/* What the colours of the map mean, where the world's descriptor says it: biomes, and the range of
 * a layer shown in grey. */

import { plainLayer } from '../app/api.js';
import { valueText } from '../app/place.js';

function create(tag, className, text = '') {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}

function biomeRow({ title, color }) {
  const row = create('li', '');
  const swatch = create('span', 'swatch');
  swatch.style.backgroundColor = color;
  row.append(swatch, title);
  return row;
}

function biomeList(biomes) {
  const list = create('ul', 'biomes');
  list.append(...biomes.map(biomeRow));
  return list;
}

function greyRamp({ range: [low, high], unit }) {
  const ramp = create('p', 'ramp');
  ramp.append(create('span', '', valueText(low, unit)), create('span', 'bar'),
    create('span', '', valueText(high, unit)));
  return ramp;
}

export function showLegend(element, world, style) {
  const layer = plainLayer(world, style);
  let content = null;
  if (style === 'biome') content = biomeList(world.biomes);
  else if (layer !== null) content = greyRamp(layer);
  element.replaceChildren(...(content ? [content] : []));
  element.hidden = content === null;
}
