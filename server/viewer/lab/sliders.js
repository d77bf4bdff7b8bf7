/* Sliders for the numbers of the formula at the cursor or, if there is none, of the layer that the
 * map shows. A slider writes its number into the text, so undo and the preview are those of
 * the editor. Its range stays while its formula has as many numbers as before. */

import { EditorView } from '@codemirror/view';
import { plainLayer } from '../app/api.js';
import { h, iconButton } from '../app/dom.js';
import { replaceNumber } from './drag.js';
import { literalsOf, placeOf, placesOf, rangeOf, textAt } from './slider-model.js';
import { formulaAt, formulasIn } from './structure.js';
import { tr } from '../texts/texts.js';

const ROWS_MAX = 60;
const HINT = tr('Put the cursor into a formula, or choose a layer below.');

const sameFormula = (a, b) => a?.path.join('/') === b?.path.join('/');

/* The formula that the sliders are for: {from, to, text, path}, or null. */
function wantedFormula(app, state) {
  const here = formulaAt(state, state.selection.main.head);
  if (here !== null) return here;
  const layer = app.world && plainLayer(app.world, app.style);
  return formulasIn(state, 0, state.doc.length)
    .find(({ path }) => path[0] === 'layers' && path[1] === layer?.name) ?? null;
}

/* "layers.height.formula" is the layer's name to a reader; others keep their path. */
const titleOf = ([first, ...rest]) => (first === 'layers' ? rest[0] : [first, ...rest].join(' · '));

/* What a number is, for its label. */
const nameOf = ({ parameter, call }, index) =>
  (parameter ? tr('{0} of {1}', parameter.name, call) : tr('number {0}', index + 1));

export function createSliders(app, view, functions) {
  const rows = h('div', { class: 'slider-rows' });
  const summary = h('summary', {}, tr('Sliders'));
  const element = h('details', { class: 'sliders', ontoggle: toggled }, summary, rows);
  let shown = null; /* {formula, rows: [{literal, range, first, input, value, reset}]} */

  /* The number of a row as the text has it now. */
  const literalNow = (index) => {
    const formula = formulasIn(view.state, shown.formula.from, shown.formula.from + 1)[0];
    const literal = formula && literalsOf(formula.text, functions())[index];
    return literal && { ...literal, from: formula.from + literal.from };
  };
  const write = (index, text, fresh) => {
    const now = literalNow(index);
    if (now) replaceNumber(view, now.from, now.text, text, fresh);
  };

  const createRow = (literal, index) => {
    const range = rangeOf(literal, literal.text);
    const name = nameOf(literal, index);
    let fresh = true; /* the next change is a step of undo of its own */
    const input = h('input', {
      type: 'range', min: 0, max: placesOf(range), 'aria-label': name,
      onpointerdown: () => { fresh = true; },
      onfocus: () => { fresh = true; },
      onchange: () => { fresh = true; },
      oninput() {
        write(index, textAt(range, Number(input.value)), fresh);
        fresh = false;
      },
    });
    const value = h('output', {});
    const reset = iconButton('undo', tr('Reset {0} to {1}', name, literal.text),
      () => write(index, literal.text, true));
    const label = h('code', { 'aria-hidden': 'true' },
      literal.before, h('b', {}, literal.text), literal.after);
    const element = h('div', { class: 'slider-row' },
      h('span', { class: 'slider-name', title: name },
        literal.parameter ? `${literal.parameter.name} ` : '', label), input, value, reset);
    return { range, first: literal.text, input, value, reset, element };
  };

  const showValues = (literals) => {
    for (const [i, row] of shown.rows.entries()) {
      const { text } = literals[i];
      row.input.value = String(placeOf(row.range, Number(text)));
      row.input.setAttribute('aria-valuetext', text);
      row.value.textContent = text;
      row.reset.disabled = text === row.first;
    }
  };

  /* The text, the cursor or the chosen layer has changed. */
  function update() {
    if (!element.isConnected) return;
    const formula = wantedFormula(app, view.state);
    const literals = formula === null ? []
      : literalsOf(formula.text, functions()).slice(0, ROWS_MAX);
    summary.textContent = formula === null ? tr('Sliders')
      : tr('Sliders of {0} ({1})', titleOf(formula.path), literals.length);
    if (!element.open) {
      shown = null;
      return;
    }
    const isSame = shown !== null && sameFormula(shown.formula, formula)
      && shown.rows.length === literals.length && shown.functions === functions();
    if (!isSame) {
      shown = { formula, functions: functions(), rows: literals.map(createRow) };
      rows.replaceChildren(...(literals.length > 0 ? shown.rows.map((row) => row.element)
        : [h('p', { class: 'note' }, formula === null ? HINT
          : tr('This formula has no numbers.'))]));
    }
    shown.formula = formula;
    showValues(literals);
  }
  /* What is open takes room from the text, whose cursor stays in view. */
  function toggled() {
    update();
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
    if (element.open) element.scrollIntoView({ block: 'nearest' });
  }
  app.on('shown', update);
  return { element, update };
}
