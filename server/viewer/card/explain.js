/* Why a place is as it is: the rule of its biome, where its water goes, and the formula and value
 * of each layer. */

import { getJson, pinned } from '../app/api.js';
import { h } from '../app/dom.js';
import { exactText, placeText, valueText } from '../app/place.js';
import { tr } from '../texts/texts.js';

function biomeText(world, { biome }) {
  if (biome === null || biome === undefined) return '';
  const title = world.biomes.find(({ name }) => name === biome.name)?.title ?? biome.name;
  const rule = tr('{0}: rule {1} of {2}', title, biome.rule, biome.rules);
  return biome.when === null ? tr('{0}, where no other one applies', rule)
    : `${rule}, ${biome.when}`;
}

function waterText({ stream }) {
  if (!stream?.end) return '';
  const { water, x, y } = stream.end;
  return tr('Its water reaches {0} at {1}.', water === 'sea' ? tr('the sea') : tr('a lake'),
    placeText({ x, y }));
}

function octaveText(noises) {
  const all = noises.reduce((sum, { octaves }) => sum + octaves, 0);
  return all === 0 ? null : h('small', {},
    all === 1 ? tr('1 octave of noise') : tr('{0} octaves of noise', all));
}

function layerRow({ name, formula, value, unit, noises }) {
  return h('li', {},
    h('div', {}, h('strong', {}, name), h('output', {}, valueText(value, unit))),
    h('code', {}, formula), octaveText(noises));
}

/* Everything that /explain says, as an element. */
export async function explanation({ world, time }, place, signal) {
  const [x, y] = [place.x, place.y].map(exactText);
  const answer = await getJson(`${pinned(world)}/explain?x=${x}&y=${y}${
    time === null ? '' : `&t=${time}`}`, signal);
  const texts = [biomeText(world, answer), waterText(answer)].filter(Boolean);
  return h('div', {}, texts.map((text) => h('p', { class: 'why' }, text)),
    h('ol', { class: 'formulas' }, answer.layers.map(layerRow)));
}
