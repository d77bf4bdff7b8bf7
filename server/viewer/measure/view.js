/* What the drawer of the measure tool shows. */

import { h, icon } from '../app/dom.js';
import { createChart } from './cursor.js';
import { areaFacts, areaNote, lineFacts, pointTable, profileNote } from './results.js';
import { tr } from '../texts/texts.js';

export const HINT = tr('Click on the map to add points, or type them. Points can be dragged; '
  + 'Backspace removes the last one.');

const FILES = [['svg', 'SVG'], ['csv', 'CSV'], ['geojson', 'GeoJSON']];

const textButton = (id, text, action, ...before) =>
  h('button', { type: 'button', class: 'text', id: `measure-${id}`, onclick: action },
    ...before, text);

/* A form that adds a typed point; typed(text) gives false if it is none. */
function createForm(typed) {
  const input = h('input', { type: 'text', id: 'measure-place', autocomplete: 'off',
    placeholder: tr('x, y, or the map’s centre'),
    'aria-label': tr('Point to add: x, y in metres, or nothing for the map’s centre') });
  input.addEventListener('input', () => input.setAttribute('aria-invalid', 'false'));
  const add = (event) => {
    event.preventDefault();
    const added = typed(input.value);
    input.setAttribute('aria-invalid', String(!added));
    if (added) input.value = '';
  };
  return h('form', { class: 'add', onsubmit: add }, input,
    h('button', { class: 'text' }, tr('Add')));
}

/* Shows a table in place of the one before; the focus stays in its row. */
function replaceTable(parent, table, otherwise) {
  const buttons = () => [...parent.querySelectorAll('button')];
  const index = buttons().indexOf(document.activeElement);
  parent.replaceChildren(table);
  if (index >= 0) (buttons()[index] ?? buttons().at(-1) ?? otherwise).focus();
}

/* `on` has kind('line' or 'area'), undo(), clear(), stats(), typed(text), remove(index), pointed(sample) and
 * save('svg', 'csv' or 'geojson'). */
export function createView(element, on) {
  const kinds = { line: textButton('line', tr('Line'), () => on.kind('line')),
    area: textButton('area', tr('Area'), () => on.kind('area')) };
  const undo = textButton('undo', tr('Undo'), on.undo);
  const clear = textButton('clear', tr('Clear'), on.clear);
  const stats = textButton('stats', tr('Statistics'), on.stats, icon('stats', 16));
  const facts = h('dl', { id: 'measure-facts' });
  const note = h('p', { class: 'note', id: 'measure-note', role: 'status' });
  const chart = createChart(on.pointed);
  const table = h('div', { class: 'points' });
  const details = h('details', {}, h('summary', {}, tr('Points')), table);
  const files = FILES.map(([format, text]) =>
    textButton(format, text, () => on.save(format), icon('take', 16)));
  const saving = h('div', { class: 'actions', role: 'group', 'aria-label': tr('Save as a file') },
    files);
  element.append(
    h('div', { class: 'actions', role: 'group', 'aria-label': tr('What to measure') },
      kinds.line, kinds.area, undo, clear),
    createForm(on.typed), facts, chart.element, note, saving,
    h('div', { class: 'actions' }, stats), details);

  return {
    chart,
    say: (text) => {
      note.textContent = text;
    },
    /* The points: {kind, points, lengths of legs, area, crossed, canUndo, zoom}. What was measured of others
     * disappears. */
    showPoints({ kind, points, lengths, total, area, crossed, canUndo, zoom }) {
      facts.replaceChildren(...(kind === 'area'
        ? areaFacts({ area, perimeter: total, crossed }, null)
        : lineFacts(total, null)));
      for (const [name, button] of Object.entries(kinds)) {
        button.setAttribute('aria-pressed', String(name === kind));
      }
      const focused = document.activeElement;
      undo.disabled = !canUndo;
      clear.disabled = points.length === 0;
      if (focused.disabled) [undo, clear, kinds[kind]].find(({ disabled }) => !disabled).focus();
      facts.hidden = saving.hidden = points.length < (kind === 'area' ? 3 : 2);
      files[0].hidden = kind === 'area';
      stats.hidden = kind !== 'area' || saving.hidden;
      chart.element.hidden = true;
      details.hidden = points.length === 0;
      replaceTable(table, pointTable(points, lengths, zoom, on.remove), undo);
    },
    /* A profile (ground.js); `corners`: metres along the line where it turns. */
    showProfile(profile, corners) {
      facts.replaceChildren(...lineFacts(profile.length, profile));
      note.textContent = profileNote(profile);
      chart.show(profile, corners);
      chart.element.hidden = false;
    },
    showHeights({ area, perimeter, crossed }, heights) {
      facts.replaceChildren(...areaFacts({ area, perimeter, crossed }, heights));
      note.textContent = areaNote(heights, crossed);
    },
  };
}
