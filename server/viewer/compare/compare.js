/* The drawer "Compare": another seed, world, style or moment beside the map, on the left of a
 * divider. */

import { getWorld } from '../app/api.js';
import { h, icon, loadStyle } from '../app/dom.js';
import { comparisonOf } from './state.js';
import { tr } from '../texts/texts.js';

const HELP = tr('On the left of the divider is what you choose here, on its right the map. Both '
  + 'move together, and “Copy the link” keeps both. What is read at the pointer is of the map.');
const SAME = tr('Both sides are the same: choose another seed, world, style or moment.');

const field = (id, text, control, ...more) =>
  h('div', { class: 'field', id: `compare-${id}-field` },
  h('label', { for: `compare-${id}` }, text), control, ...more);
const randomSeed = () => String(crypto.getRandomValues(new Uint32Array(1))[0]);

export function create(app, element) {
  loadStyle('viewer/compare/compare.css').catch((error) => app.status.set('tool', error.message));
  const comparison = comparisonOf(app);
  const said = h('p', { class: 'note', role: 'status', id: 'compare-status' });
  const world = h('select', { id: 'compare-world', onchange() {
    seed.value = '';
    choose();
  } });
  const seed = h('input', { type: 'text', id: 'compare-seed', maxlength: 256, autocomplete: 'off',
    autocapitalize: 'none', spellcheck: 'false', onchange: () => choose() });
  const dice = h('button', {
    type: 'button', id: 'compare-dice', 'aria-label': tr('A random seed beside'),
    title: tr('A random seed beside'), onclick() {
      seed.value = randomSeed();
      choose();
    },
  }, icon('seeds'));
  const style = h('select', { id: 'compare-style', onchange: () => choose() });
  const time = h('input', { type: 'number', id: 'compare-time', step: 'any', min: -1e9, max: 1e9,
    placeholder: tr('as the map'), onchange: () => choose() });
  const timeField = field('time', tr('Seconds'), time);
  const button = (id, text, onclick) => h('button', {
    type: 'button', class: 'text', id: `compare-${id}`, onclick,
  }, text);
  const swap = button('swap', tr('Swap sides'), () => act(() => comparison.swap()));
  const end = button('end', tr('End'), () => {
    const focused = document.activeElement === end;
    act(() => comparison.choose(null));
    if (focused) dice.focus();
  });
  element.append(h('p', { class: 'note' }, HELP), h('div', { class: 'compare-fields' },
    field('world', tr('World'), world), field('seed', tr('Seed'), seed, dice),
    field('style', tr('Map'), style),
    timeField), h('div', { class: 'actions' }, swap, end), said);

  const act = async (action) => {
    said.textContent = '';
    try {
      await action();
    } catch (error) {
      said.textContent = error.message;
    }
  };
  /* What the fields say; the map's own world and seed are left out, so that they follow it. */
  const wanted = () => {
    const text = seed.value.trim();
    const isOther = text !== '' || world.value !== app.world.name;
    return {
      world: isOther ? world.value : null, seed: text === '' ? null : text,
      style: style.value || null, time: time.value === '' ? null : time.valueAsNumber,
    };
  };
  const choose = () => act(async () => {
    const other = wanted();
    const isSame = Object.values(other).every((value) => value === null);
    await comparison.choose(isSame ? null : other);
    if (isSame) said.textContent = SAME;
  });

  const show = () => {
    const other = comparison.other();
    const own = app.worlds.worlds.find(({ name }) => name === app.world.name);
    const listed = own ? app.worlds.worlds : [app.world, ...app.worlds.worlds];
    world.replaceChildren(...listed.map(({ name, title }) => h('option', { value: name }, title)));
    world.value = other?.world ?? app.world.name;
    seed.value = other?.seed ?? '';
    seed.placeholder = other?.world ? tr('its own')
      : tr('as the map: {0}', app.world.chosenSeed ?? app.world.seed);
    showStyles(other);
    time.value = other?.time ?? '';
    timeField.hidden = !app.world.styles.some(({ time: moves }) => moves) && !other?.time;
    swap.disabled = end.disabled = other === null;
  };
  /* The styles of the world on the left; those of the map until it is known. */
  const showStyles = async (other) => {
    const name = other?.world;
    const descriptor = name && name !== app.world.name
      ? await getWorld(name, other.seed).catch(() => app.world) : app.world;
    if (comparison.other() !== other) return;
    style.replaceChildren(h('option', { value: '' }, tr('As the map')),
      ...descriptor.styles.map(({ name: value, title }) => h('option', { value }, title || value)));
    style.value = other?.style ?? '';
  };
  comparison.onChange(show);
  app.on('shown', show);
  return {
    opened: show,
  };
}
