/* Numbers that are changed without typing: dragged with Alt and the mouse, by the bar below the
 * text, which is about the number at the cursor, or with Alt and the arrow keys (with Shift ten
 * steps).
 * Numbers keep to the range of the argument that they are. */

import { isolateHistory } from '@codemirror/commands';
import { Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { h, icon } from '../app/dom.js';
import { callAt, parameterOf, rangeText, tokenize } from './formulas.js';
import { numberAt, stepNumber } from './numbers.js';
import { formulaAt } from './structure.js';
import { tr } from '../texts/texts.js';

const PIXELS_PER_STEP = 7;
const HAS_MOUSE = matchMedia('(any-pointer: fine)').matches;
const [LESS, MORE] = HAS_MOUSE ? [tr('Less (Alt and arrow down)'), tr('More (Alt and arrow up)')]
  : [tr('Less'), tr('More')];
const HINT = HAS_MOUSE
  ? tr('Drag a number with Alt held down, or change the one at the cursor here.')
  : tr('Change the number at the cursor here.');

/* What a number at a position may be: limits for stepNumber(), and words for people. */
function limitsAt(state, functions, position) {
  const formula = formulaAt(state, position);
  if (formula === null) return {};
  const call = callAt(tokenize(formula.text), position - formula.from);
  const parameter = parameterOf(functions, call);
  if (!parameter || !['number', 'whole'].includes(parameter.kind)) return {};
  const { name, minimum, maximum, kind } = parameter;
  return { minimum, maximum, whole: kind === 'whole', doubling: call.name === 'coarse',
    words: `${name}: ${rangeText(parameter)}` };
}

/* The number at a position of the text: {from, to, text, limits}, or null. */
function findNumber(state, functions, position) {
  const line = state.doc.lineAt(position);
  const found = numberAt(line.text, position - line.from);
  if (found === null) return null;
  const from = line.from + found.from;
  return { from, to: line.from + found.to, text: found.text,
    limits: limitsAt(state, functions, from + 1) };
}

/* Writes a number in place of the one at `from`; `fresh` begins a new step of undo. */
export function replaceNumber(view, from, before, after, fresh) {
  if (before === after) return;
  view.dispatch({
    changes: { from, to: from + before.length, insert: after },
    selection: { anchor: from + after.length },
    userEvent: 'input.number',
    annotations: fresh ? [isolateHistory.of('before')] : [],
  });
}

/* A drag of a number by a pointer that is captured by an element. */
function startDrag(view, number, element, { pointerId, clientX }) {
  let shown = number.text;
  const move = (event) => {
    const moved = Math.round((event.clientX - clientX) / PIXELS_PER_STEP);
    const steps = moved * (event.shiftKey ? 10 : 1);
    const text = steps === 0 ? number.text : stepNumber(number.text, steps, number.limits);
    replaceNumber(view, number.from, shown, text, shown === number.text);
    shown = text;
  };
  const end = () => {
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', end);
    element.removeEventListener('pointercancel', end);
  };
  element.setPointerCapture(pointerId);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', end);
  element.addEventListener('pointercancel', end);
}

function stepAtCursor(view, functions, steps) {
  const number = findNumber(view.state, functions(), view.state.selection.main.head);
  if (number === null) return true; /* not what the keys do in other editors: they move lines */
  const text = stepNumber(number.text, steps, number.limits);
  replaceNumber(view, number.from, number.text, text, false);
  return true;
}

/* The bar: less, a grip to drag, more, and what the number is. It keeps the focus in the text. */
export function createNumberBar(view, functions) {
  const button = (name, title, steps) => h('button', {
    type: 'button', class: 'text', title, 'aria-label': title,
    onclick: () => stepAtCursor(view, functions, steps),
  }, name);
  const grip = h('span', {
    class: 'grip', title: tr('Drag to change the number'),
    onpointerdown(event) {
      const number = findNumber(view.state, functions(), view.state.selection.main.head);
      if (number !== null) startDrag(view, number, grip, event);
    },
  }, icon('stretch', 16));
  const words = h('span', { class: 'note' });
  const tools = h('span', { class: 'number-tools', onmousedown: (event) => event.preventDefault() },
    button('−', LESS, -1), grip, button('+', MORE, 1));
  return {
    element: h('div', { class: 'number-bar' }, tools, words),
    /* The text or the cursor has changed. */
    update() {
      const number = findNumber(view.state, functions(), view.state.selection.main.head);
      tools.classList.toggle('idle', number === null);
      words.textContent = number === null ? HINT : number.limits.words ?? '';
    },
  };
}

export function draggableNumbers(functions) {
  const keys = [['Alt-ArrowUp', 1], ['Alt-ArrowDown', -1], ['Shift-Alt-ArrowUp', 10],
    ['Shift-Alt-ArrowDown', -10]];
  return [
    Prec.high(keymap.of(keys.map(([key, steps]) =>
      ({ key, run: (view) => stepAtCursor(view, functions, steps) })))),
    EditorView.domEventHandlers({
      pointerdown(event, view) {
        if (!event.altKey || event.button !== 0) return false;
        const position = view.posAtCoords({ x: event.clientX, y: event.clientY });
        const number = position === null ? null : findNumber(view.state, functions(), position);
        if (number === null) return false;
        startDrag(view, number, view.contentDOM, event);
        return true;
      },
      /* Alt is the key of a second cursor otherwise. */
      mousedown: (event, view) => event.altKey && findNumber(view.state, functions(),
        view.posAtCoords({ x: event.clientX, y: event.clientY }, false)) !== null,
    }),
  ];
}
