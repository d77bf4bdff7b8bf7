/* What the drawer of the statistics shows. */

import { hasRivers } from '../app/api.js';
import { h, icon } from '../app/dom.js';
import { layerTitle } from '../app/layers.js';
import { valueText } from '../app/place.js';
import { areaText, lengthText } from '../app/units.js';
import { areaOf } from '../measure/geometry.js';
import { isClimate, layersOf } from './ask.js';
import { drawDistribution } from './chart.js';
import { bandsOf } from './summary.js';
import { tr } from '../texts/texts.js';

const percent = (share) => {
  const digits = share === 0 || share === 1 ? 0 : share < 0.1 || share > 0.99 ? 1 : 0;
  return `${share > 0 && share < 0.0005 ? '<\u202f0.1' : (100 * share).toFixed(digits)}\u202f%`;
};
const head = (...names) => h('thead', {}, h('tr', {},
  names.map((name) => h('th', { scope: 'col' }, name))));
const row = (name, ...cells) => h('tr', {}, h('th', { scope: 'row' }, name),
  cells.map((cell) => h('td', {}, cell)));

const BAR_WIDTH = 104; /* pixels, of the largest share */

/* A share as a bar in its cell. */
function bar(share, most, color) {
  const element = h('span', { class: 'share-bar', 'aria-hidden': 'true' });
  element.style.width = `${Math.round(BAR_WIDTH * share / most)}px`;
  element.style.background = color;
  return element;
}

/* Biomes from the most frequent one, as a table whose cells have bars. */
function biomeTable(world, shares) {
  const rows = world.biomes.filter(({ name }) => shares[name] > 0)
    .sort((a, b) => shares[b.name] - shares[a.name]);
  if (rows.length === 0) return null;
  const most = shares[rows[0].name];
  return h('section', { class: 'stats-biomes' }, h('h3', {}, tr('Biomes')), h('table', {},
    head(tr('Biome'), tr('Share|of a whole')), h('tbody', {}, rows.map(({ name, title, color }) =>
      row(title, [bar(shares[name], most, color), percent(shares[name])])))));
}

function climateTable(world, layers) {
  const rows = layersOf(world).filter(isClimate);
  if (rows.length === 0) return null;
  return h('section', { class: 'stats-climate' }, h('h3', {}, tr('Climate')), h('table', {},
    head(tr('Layer'), tr('Mean'), tr('From'), tr('To')),
    h('tbody', {}, rows.map(({ name, unit }) => {
      const { mean, minimum, maximum } = layers[name];
      return row(unit === '' ? layerTitle(name) : `${layerTitle(name)}, ${unit}`,
        ...[mean, minimum, maximum].map((value) => valueText(value)));
    }))));
}

function riverFacts(rivers) {
  const heading = h('h3', {}, tr('Rivers'));
  const only = (text) => h('section', {}, heading, h('p', { class: 'note' }, text));
  if (rivers instanceof Error) return only(rivers.message);
  const least = tr('that drain at least {0}', areaText(rivers.minFlow));
  if (rivers.count === 0) return only(tr('None {0}.', least));
  return h('section', { class: 'stats-rivers' }, heading,
    h('p', {}, rivers.count === 1 ? tr('{0} of 1 river {1}.', lengthText(rivers.total), least)
      : tr('{0} of {1} rivers {2}.', lengthText(rivers.total), rivers.count, least)),
    h('table', {}, head(tr('Longest here'), tr('Length'), tr('Width')), h('tbody', {},
      rivers.longest.map(({ name, length, width }) =>
        row(name ?? tr('Not named at this scale'), lengthText(length),
          lengthText(Math.round(width)))))));
}

/* The chart of one of the layers, chosen by a list, with the same numbers as a table. */
function distribution(world, layers, chosen, choose) {
  const body = h('div', {});
  const show = () => {
    const { name, unit } = layersOf(world).find((layer) => layer.name === select.value);
    const layer = layers[name];
    const text = (value) => valueText(value, unit);
    const label = tr('{0} from {1} to {2}, half of '
      + 'it above {3}. The table below has the numbers.', layerTitle(name), text(layer.minimum),
      text(layer.maximum), text(layer.percentiles[50]));
    body.replaceChildren(
      drawDistribution({ ...layer, unit }, { label, hasSea: name === 'height' && unit === 'm' }),
      h('p', { class: 'note' },
        tr('Bars: how much lies in each band. Line: how much lies higher.')),
      h('dl', {}, [[tr('Lowest'), layer.minimum], [tr('Highest'), layer.maximum],
        [tr('Mean'), layer.mean],
        [tr('Median'), layer.percentiles[50]]].flatMap(([term, value]) =>
        [h('dt', {}, term), h('dd', {}, text(value))])),
      h('details', {}, h('summary', {}, tr('As a table')), h('table', {},
        head(tr('Band'), tr('Share|of a whole'), tr('Higher than its lower end')),
        h('tbody', {}, bandsOf(layer).map(({ from, to, share, above }) =>
          row(tr('{0} to {1}', text(from), text(to)), percent(share), percent(above)))))));
    choose(name);
  };
  const names = layersOf(world).map(({ name }) => name);
  const select = h('select', {
    id: 'stats-layer', 'aria-label': tr('Layer of the chart'), onchange: show,
  }, names.map((name) => h('option', { value: name }, layerTitle(name))));
  select.value = names.includes(chosen) ? chosen : 'height';
  show();
  return h('section', { class: 'stats-distribution' },
    h('div', { class: 'stats-head' }, h('h3', {}, tr('Distribution of')), select), body);
}

/* `on` has view(), area(), and measure(). */
export function createView(element, on) {
  const textButton = (id, text, onclick, ...before) => h('button', {
    type: 'button', class: 'text', id: `stats-${id}`, onclick,
  }, ...before, text);
  const view = textButton('view', tr('This view'), on.view);
  const area = textButton('area', tr('Measured area'), on.area);
  const said = h('p', { class: 'note', role: 'status', id: 'stats-status' });
  const results = h('div', { class: 'stats-results' });
  const riverBox = h('div', {});
  let layer = 'height';
  element.append(
    h('div', { class: 'actions', role: 'group', 'aria-label': tr('Area of the statistics') }, view,
      area,
      textButton('measure', tr('Measure an area'), on.measure, icon('measure', 16))),
    said, results);
  return {
    say(text) {
      said.textContent = text;
    },
    setBusy: (busy) => results.setAttribute('aria-busy', String(busy)),
    /* `stale`: the map shows something else than what was asked about. */
    setChosen({ kind, hasArea, stale }) {
      area.hidden = !hasArea;
      view.setAttribute('aria-pressed', String(kind === 'view' && !stale));
      area.setAttribute('aria-pressed', String(kind === 'area' && !stale));
    },
    clear: () => results.replaceChildren(),
    /* All but the rivers, which are said to come. */
    show(world, { ring }, { step, land, biomes, layers }) {
      riverBox.replaceChildren(...(hasRivers(world)
        ? [h('h3', {}, tr('Rivers')), h('p', { class: 'note' }, tr('Asking for rivers …'))] : []));
      results.replaceChildren(...[
        h('p', {}, tr('{0}, {1} of it land.', areaText(areaOf(ring)), percent(land))),
        biomeTable(world, biomes),
        distribution(world, layers, layer, (name) => { layer = name; }),
        climateTable(world, layers),
        riverBox,
        h('p', { class: 'note' }, tr('A sample every {0}. '
          + 'Ground finer than twice that is left out.', lengthText(step))),
      ].filter(Boolean));
    },
    /* null: the world has none; an Error: they did not come. */
    showRivers(rivers) {
      riverBox.replaceChildren(...(rivers === null ? [] : [riverFacts(rivers)]));
    },
  };
}
