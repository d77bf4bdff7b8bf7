/* What can be searched for, and the fields of each kind. A kind gives a condition for /locate, a
 * feature, or a kind of object; the fields come from what the world has. */

import { hasRivers } from '../app/api.js';
import { h } from '../app/dom.js';
import { tr } from '../texts/texts.js';

/* A condition that holds for each of some names. */
const quoted = (names, what) => names.map((name) => `${what}==${name}`).join(' || ');

/* Several of a list, as buttons with the colours of the map. */
function choiceOf(name, list, changed) {
  const chosen = new Set();
  const toggle = (button, entry) => {
    if (!chosen.delete(entry.name)) chosen.add(entry.name);
    button.setAttribute('aria-pressed', String(chosen.has(entry.name)));
    changed?.([...chosen]);
  };
  const buttons = list.map((entry) => {
    const swatch = h('span', { class: 'swatch' });
    swatch.style.backgroundColor = entry.color;
    const button = h('button', { type: 'button', class: 'text', 'aria-pressed': 'false',
      'data-name': entry.name, onclick: () => toggle(button, entry) },
    swatch, entry.title || entry.name);
    return button;
  });
  return {
    element: h('div', { class: 'several', role: 'group', 'aria-label': name }, buttons),
    chosen: () => [...chosen],
  };
}

function choice({ title, what, hint }, list, changed) {
  const { element, chosen } = choiceOf(title, list, changed);
  return {
    element,
    read: () => (chosen().length === 0 ? { problem: hint }
      : { where: quoted(chosen(), what) }),
  };
}

function selectOf(id, label, entries) {
  const select = h('select', { id }, entries.map(({ name, title }) =>
    h('option', { value: name }, title || name)));
  return { select, element: h('div', { class: 'field' }, h('label', { for: id }, label), select) };
}

function heightFields() {
  const { select, element } = selectOf('find-side', tr('Ground'),
    [{ name: '>=', title: tr('above') }, { name: '<=', title: tr('below') }]);
  const metres = h('input', { id: 'find-metres', type: 'text', inputmode: 'decimal', value: '1000',
    'aria-label': tr('Height in metres'), autocomplete: 'off' });
  const read = () => {
    const text = metres.value.trim().replace('\u2212', '-').replace(/\s/g, '');
    const valid = /^-?\d{1,6}(\.\d{1,6})?$/.test(text);
    metres.setAttribute('aria-invalid', String(!valid));
    return valid ? { where: `height${select.value}${text}` }
      : { problem: tr('A height is a number of metres, such as 1200 or −350.'), field: metres };
  };
  return {
    element: h('div', { class: 'height-field' }, element, metres, h('span', {}, tr('metres'))),
    read,
  };
}

/* Where the water stands: in worlds with rivers and lakes, a layer says it. */
const LEVEL = 'water_level';
const levelOf = (world) => (world.layers.some(({ name }) => name === LEVEL) ? LEVEL : '0');

function waterFields(world) {
  const level = levelOf(world);
  const kinds = [{ name: `height<${level}`, title: tr('Any water') }, ...(level === '0' ? [] : [
    { name: `height<${level},${level}<=0`, title: tr('Sea') },
    { name: `height<${level},${level}>0`, title: tr('River or lake') },
  ])];
  const { select, element } = selectOf('find-water', tr('Water'), kinds);
  return { element, read: () => ({ where: select.value }) };
}

function spawnFields(world) {
  return {
    element: h('p', { class: 'note' },
      tr('Dry ground to begin a game at, with a slope of at most 10°.')),
    read: () => ({ where: `height>=1,height<=300,slope<=10,height>${levelOf(world)}` }),
  };
}

/* Peaks and passes come by their prominence, all others by their distance. */
const BY_PROMINENCE = tr('Next by prominence');
const LANDMARKS = [
  { name: 'peak', title: tr('Peak'), next: BY_PROMINENCE },
  { name: 'pass', title: tr('Pass'), next: BY_PROMINENCE },
];
const RIVER_MARKS = [
  { name: 'source', title: tr('Source of a river') },
  { name: 'mouth', title: tr('Mouth of a river') },
  { name: 'lake', title: tr('Lake') },
];

/* Looks within 50 km, or 200 where the map shows so much; `reach` is half of its width. */
function landmarkFields(world, reach) {
  const kinds = hasRivers(world) ? [...LANDMARKS, ...RIVER_MARKS] : LANDMARKS;
  const { select, element } = selectOf('find-landmark', tr('Kind'), kinds);
  const radius = selectOf('find-radius', tr('Within'),
    [['10000', '10 km'], ['50000', '50 km'], ['200000', '200 km'], ['1000000', '1000 km']]
      .map(([name, title]) => ({ name, title })));
  radius.select.value = reach < 2e5 ? '50000' : '200000';
  return {
    element: h('div', { class: 'stack' }, element, radius.element),
    read: () => ({ feature: select.value, radius: Number(radius.select.value),
      next: kinds.find(({ name }) => name === select.value).next }),
  };
}

function objectFields(world, changed) {
  const { select, element } = selectOf('find-object', tr('Kind'), world.objects);
  select.addEventListener('change', () => changed(select.value));
  changed(select.value);
  return { element, read: () => ({ object: select.value }) };
}

function conditionFields(world) {
  const input = h('input', { id: 'find-where', type: 'text', maxlength: 1024, autocomplete: 'off',
    autocapitalize: 'none', spellcheck: 'false', placeholder: 'height>500 && slope<10',
    'aria-describedby': 'find-names' });
  const names = [...world.layers.map(({ name }) => name), 'slope'];
  return {
    element: h('div', { class: 'stack' },
      h('div', { class: 'field' }, h('label', { for: 'find-where' }, tr('Where')), input),
      h('details', { id: 'find-names' }, h('summary', {}, tr('Names to use')),
        h('p', { class: 'note' }, names.join(', ')),
        h('p', { class: 'note' }, world.biomes.map(({ name }) => `biome==${name}`).join(', ')))),
    read: () => (input.value.trim() === '' ? { problem: tr('Write a condition first.'),
      field: input }
      : { where: input.value.trim(), field: input }),
  };
}

const BIOMES = { title: tr('Biomes'), what: 'biome', hint: tr('Choose one or more biomes.') };
const MATERIALS = { title: tr('Materials'), what: 'material',
  hint: tr('Choose one or more materials.') };

/* The kinds that a world has: {name, title, create()}. create() gives {element, read()}, and read()
 * {where}, {feature, radius, next: what to call the next one}, {object} or {problem}, with the
 * `field` that it is about. The overlays hear which biomes and which objects are chosen; reach() is
 * half of the map's width, in metres. */
export function kindsOf(world, { setBiomes, setObject }, reach) {
  const kinds = [
    { name: 'biome', title: tr('Biome'), has: world.biomes.length > 0,
      create: () => choice(BIOMES, world.biomes, setBiomes) },
    { name: 'landmark', create: () => landmarkFields(world, reach()),
      title: hasRivers(world) ? tr('Peak, pass, river mouth, lake') : tr('Peak or pass') },
    { name: 'height', title: tr('Height'), create: heightFields },
    { name: 'water', title: tr('Water'), create: () => waterFields(world) },
    { name: 'spawn', title: tr('Place to begin'), create: () => spawnFields(world) },
    { name: 'material', title: tr('Material'), has: world.materials?.length > 0,
      create: () => choice(MATERIALS, world.materials) },
    { name: 'object', title: tr('Trees and other objects'), has: world.objects?.length > 0,
      create: () => objectFields(world, setObject) },
    { name: 'condition', title: tr('Condition'), create: () => conditionFields(world) },
  ];
  return kinds.filter(({ has = true }) => has);
}
