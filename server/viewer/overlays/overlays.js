/* The drawer of grids and markers: which grids are shown, and GeoJSON from addresses and files. */

import { h, iconButton, removeItem } from '../app/dom.js';
import { cellAt, chunkCells, tileCells } from './grid.js';
import { placeOf } from './features.js';
import { SIDE_MAX, overlaysOf, parseSide } from './state.js';
import { tr } from '../texts/texts.js';

const NAMES_MAX = 200;
const GOTO_ZOOM = 13;

let ids = 0;
const nextId = (prefix) => `${prefix}-${(ids += 1)}`;

function checkbox(label, checked, onchange) {
  const input = h('input', { type: 'checkbox', onchange: () => onchange(input.checked) });
  input.checked = checked;
  return { input, label: h('label', { class: 'check' }, input, label) };
}

/* Chunks of a chosen size, and tiles; and which of them the place under the cursor is in. */
function createGridControls(app, overlays) {
  const side = h('input', {
    type: 'number', min: 1, max: SIDE_MAX, value: 64, id: 'chunk-side', inputmode: 'numeric',
  });
  const apply = () => {
    const metres = parseSide(side.value);
    side.setAttribute('aria-invalid', String(metres === null));
    if (metres !== null) overlays.setChunks(chunks.input.checked ? metres : null);
  };
  const chunks = checkbox(tr('Chunks'), overlays.side !== null, apply);
  const tiles = checkbox(tr('Tiles, as zoom/x/y'), overlays.tiles, (on) => overlays.setTiles(on));
  const cursor = h('p', { class: 'note', id: 'cells' });
  side.addEventListener('change', apply);

  const showCells = () => {
    const place = app.map.aim();
    const { zoom } = app.map.view();
    const metres = overlays.side ?? parseSide(side.value);
    cursor.textContent = tr('At the cursor: {0}tile {1}.', metres === null ? ''
      : tr('chunk {0}, ', cellAt(chunkCells(metres), zoom, place)), cellAt(tileCells, zoom, place));
  };
  return {
    element: h('section', {}, h('h3', {}, tr('Grids')),
      h('div', { class: 'row' }, chunks.label,
        h('label', { for: 'chunk-side', class: 'of' }, tr('of')), side, h('span', {}, 'm')),
      tiles.label, cursor),
    showCells,
    show() {
      chunks.input.checked = overlays.side !== null;
      tiles.input.checked = overlays.tiles;
      if (overlays.side !== null && document.activeElement !== side) side.value = overlays.side;
      showCells();
    },
  };
}

function namesOf(app, collection) {
  const named = collection.features.filter(({ name, shapes }) => name && shapes.length > 0);
  if (named.length === 0) return null;
  const items = named.slice(0, NAMES_MAX).map((feature) => h('li', {}, h('button', {
    type: 'button', class: 'text',
    onclick: () => app.go(placeOf(feature), Math.max(GOTO_ZOOM, app.map.view().zoom)),
  }, feature.name)));
  return h('ul', { class: 'names' }, items,
    named.length > NAMES_MAX && h('li', {}, tr('and {0} more', named.length - NAMES_MAX)));
}

function countText({ features, loaded, error }) {
  if (!loaded) return error ? '' : tr('Loading …');
  return features.length === 1 ? tr('1 feature') : tr('{0} features', features.length);
}

/* A collection's row: it stays while its content changes, and so does the focus in it. */
function createRow(app, overlays, collection) {
  const shown = checkbox(collection.title, true, (on) => collection.setVisible(on));
  const units = h('select', { id: nextId('units'),
    onchange: () => collection.setDegrees(units.value === 'degrees') },
  h('option', { value: 'metres' }, tr('metres of the world')),
  h('option', { value: 'degrees' }, tr('degrees of the map')));
  const count = h('p', { class: 'note' });
  const error = h('p', { class: 'error', role: 'status' });
  const names = h('details', {}, h('summary', {}, tr('Names')));
  let listed = null;
  const element = h('li', {},
    h('div', { class: 'row' }, shown.label,
      !collection.fromServer && iconButton('remove', tr('Remove {0}', collection.title), () =>
        overlays.remove(collection))),
    count, error,
    h('div', { class: 'row units' }, h('label', { for: units.id }, tr('Coordinates')), units),
    names);
  return {
    element,
    update() {
      const { couldBeDegrees, shownDegrees, degrees } = collection;
      count.textContent = countText(collection) + (couldBeDegrees && !shownDegrees
        && degrees === null ? tr('. All lie near the origin: are these degrees?') : '');
      error.textContent = collection.error ?? '';
      units.value = collection.shownDegrees ? 'degrees' : 'metres';
      if (listed === collection.features) return;
      listed = collection.features;
      const list = namesOf(app, collection);
      names.hidden = list === null;
      names.replaceChildren(names.firstChild, ...(list ? [list] : []));
    },
  };
}

function createRows(app, overlays) {
  const rows = new Map();
  const list = h('ul', { class: 'collections' });
  return {
    element: list,
    show() {
      for (const [collection, { element }] of rows) {
        if (overlays.collections.includes(collection)) continue;
        removeItem(element, 'input');
        rows.delete(collection);
      }
      for (const collection of overlays.collections) {
        if (!rows.has(collection)) {
          rows.set(collection, createRow(app, overlays, collection));
          list.append(rows.get(collection).element);
        }
        rows.get(collection).update();
      }
    },
  };
}

function addFiles(overlays, files) {
  for (const file of files) overlays.add({ title: file.name, file });
}

/* Where further GeoJSON comes from. */
function createSources(overlays) {
  const url = h('input', { id: 'geojson-url', type: 'text', placeholder: 'players.geojson',
    autocomplete: 'off', autocapitalize: 'none', spellcheck: 'false', required: true });
  const interval = h('input', { id: 'geojson-interval', type: 'number', min: 0, max: 86400,
    placeholder: tr('never') });
  const form = h('form', { onsubmit: (event) => {
    event.preventDefault();
    const address = url.value.trim().replace(/\s/g, '%20');
    overlays.add({ title: address, url: address, interval: Number(interval.value) });
    url.value = '';
  } },
  h('div', { class: 'row' }, h('label', { for: 'geojson-url' }, tr('Address')), url),
  h('div', { class: 'row' },
    h('label', { for: 'geojson-interval' }, tr('Ask again every')), interval, h('span', {}, 's'),
    h('button', { type: 'submit', class: 'text' }, tr('Add'))));
  const file = h('input', { type: 'file', accept: '.json,.geojson,application/geo+json',
    multiple: true, class: 'visually-hidden', id: 'geojson-file', onchange: () => {
      addFiles(overlays, file.files);
      file.value = '';
    } });
  return [form, h('div', { class: 'actions' }, file,
    h('label', { for: 'geojson-file', class: 'file' }, tr('Open a GeoJSON file …'))),
  h('p', { class: 'note' },
    tr('Or drop files on the map. Coordinates are metres of the world, x to '
    + 'the east and y to the south, unless the file’s “crs” says CRS84 or you choose degrees.'))];
}

export function create(app, element) {
  const overlays = overlaysOf(app);
  const grids = createGridControls(app, overlays);
  const rows = createRows(app, overlays);
  element.append(grids.element,
    h('section', {}, h('h3', {}, tr('Markers, lines and areas')), rows.element,
      createSources(overlays)));
  const show = () => {
    grids.show();
    rows.show();
  };
  overlays.on('changed', show);
  app.on('aim', grids.showCells);
  show();
  return {
    opened(detail) {
      if (detail?.files) addFiles(overlays, detail.files);
      grids.showCells();
    },
  };
}
