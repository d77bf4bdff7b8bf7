/* Finding: the nearest places of a biome, a height, water, a place to begin, a material, an object
 * or any condition, one after the other; landmarks; biomes highlighted and objects shown on the
 * map. */

import { hasRivers } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { h, icon, loadStyle } from '../app/dom.js';
import { metresPerPixel } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { kindsOf } from './kinds.js';
import { createOverlays } from './overlays.js';
import { createResults } from './results.js';
import { startSearch } from './searches.js';
import { createStart } from './start.js';
import { tr } from '../texts/texts.js';

/* Places that lie nearer to each other on the map are one for its reader. */
const APART_PIXELS = 64;

/* What the kinds and their fields are made of. */
const listsOf = (world) => JSON.stringify([world.biomes, world.materials, world.objects,
  world.layers.map(({ name }) => name), hasRivers(world)]);

/* The character of a condition at which the server found the error is selected. */
function showProblem(field, column) {
  field?.setAttribute('aria-invalid', 'true');
  if (!field || field.type !== 'text') return;
  field.focus();
  if (column) field.setSelectionRange(column - 1, column);
}

/* The buttons that search, and what they do. `read()` gives the query of the form. */
function createRunner(app, start, read) {
  const latest = createLatest();
  const results = createResults(app);
  const said = h('p', { class: 'note', role: 'status', id: 'find-status' });
  const find = h('button', { type: 'submit', class: 'text main' }, icon('find', 16), tr('Find'));
  const next = h('button', { type: 'button', class: 'text', disabled: true, onclick: () => step() },
    tr('Next nearest'));
  const cancel = h('button', { type: 'button', class: 'text', hidden: true, onclick: () => stop() },
    tr('Cancel'));
  let search = null;
  let pressed = find; /* the button that began what is under way */

  const say = (text) => {
    said.textContent = text;
  };
  /* A button that is disabled or hidden hands the focus on, which would be nowhere else. */
  const setBusy = (busy) => {
    const focused = document.activeElement;
    if (busy) {
      pressed = focused === next ? next : find;
      cancel.hidden = false;
      if (focused === pressed) cancel.focus();
    }
    find.disabled = busy;
    next.disabled = busy || search === null;
    if (!busy && focused === cancel) (pressed.disabled ? find : pressed).focus();
    cancel.hidden = !busy;
  };
  const halt = () => {
    latest(async () => null);
    setBusy(false);
  };
  const stop = () => {
    halt();
    say(tr('Cancelled.'));
  };
  const forget = () => {
    search = null;
    halt();
    results.clear();
    say('');
  };
  const fail = (message, field, column) => {
    search = null;
    setBusy(false);
    say(message);
    showProblem(field, column);
  };
  const step = async (field) => {
    setBusy(true);
    try {
      const answer = await latest((signal) => search.next(signal));
      if (answer === null) return;
      setBusy(false);
      say(answer.note);
      if (answer.place === null) return;
      results.add(answer.place, answer.step).scrollIntoView({ block: 'nearest' });
    } catch (error) {
      fail(error.message, field, error.column);
    }
  };
  const begin = () => {
    const query = read();
    forget();
    query.field?.setAttribute('aria-invalid', 'false');
    if (query.problem) {
      fail(query.problem, query.field);
      return;
    }
    const apart = APART_PIXELS * metresPerPixel(app.map.view().zoom);
    search = startSearch(app.world, start(), { ...query, apart },
      (radius) => say(tr('Looking within {0} …', distanceText(radius))));
    next.textContent = query.next ?? tr('Next nearest');
    step(query.field);
  };
  return {
    buttons: h('div', { class: 'actions' }, find, next, cancel),
    elements: [said, results.element],
    say,
    begin,
    /* Ends a search; what was found stays. */
    halt,
    /* What was found is of another question. */
    forget,
  };
}

export function create(app, element) {
  loadStyle('viewer/find/find.css').catch((error) => app.status.set('tool', error.message));
  const kindField = h('select', { id: 'find-kind', onchange: () => choose(kindField.value) });
  const fields = h('div', { class: 'stack', id: 'find-fields' });
  const start = createStart(app, () => runner.forget());
  const runner = createRunner(app, () => start.place(), () => form.read());
  const overlays = createOverlays(app, runner.say);
  const halfWidth = () =>
    app.map.leaflet.getSize().x / 2 * metresPerPixel(app.map.view().zoom);
  let kinds = [];
  let form = null;
  let lists = '';
  let version = '';

  const choose = (name) => {
    kindField.value = name;
    overlays.choose(name);
    form = kinds.find((kind) => kind.name === name).create();
    fields.replaceChildren(form.element);
    runner.forget();
  };
  /* Another world may have other kinds, and so may a new version of the same one; another seed has
   * the same ones elsewhere. */
  const follow = () => {
    const now = `${app.world.address}@${app.world.fingerprint}`;
    if (now === version) return;
    version = now;
    runner.forget();
    if (lists === listsOf(app.world)) return;
    lists = listsOf(app.world);
    kinds = kindsOf(app.world, overlays, halfWidth);
    const before = kindField.value;
    kindField.replaceChildren(...kinds.map(({ name, title }) =>
      h('option', { value: name }, title)));
    choose(kinds.some(({ name }) => name === before) ? before : kinds[0].name);
  };

  element.append(start.element,
    h('form', {
      onsubmit(event) {
        event.preventDefault();
        runner.begin();
      },
    },
    h('div', { class: 'field' }, h('label', { for: 'find-kind' }, tr('What')), kindField),
    fields, overlays.element, runner.buttons),
    ...runner.elements);
  app.on('shown', follow);
  follow();
  start.set(null);

  return {
    /* `detail`: {from}, a place to search from. */
    opened({ from = null } = {}) {
      if (from !== null) start.set(from);
    },
    closed: runner.halt,
  };
}
