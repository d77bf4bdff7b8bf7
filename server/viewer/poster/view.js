/* What the drawer of the poster shows. */

import { h, icon } from '../app/dom.js';
import { readable } from '../app/place.js';
import { distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';
import { PAPER_NAMES, SCALES } from './paper.js';

const TITLE_MAX = 80;

const field = (id, label, control) => h('div', { class: 'field' },
  h('label', { for: `poster-${id}` }, label), control);
const select = (id, options, onchange) => h('select', { id: `poster-${id}`, onchange },
  options.map(([value, text]) => h('option', { value }, text)));
const button = (id, onclick, ...children) =>
  h('button', { type: 'button', class: 'text', id: `poster-${id}`, onclick }, ...children);

function check(id, text, onchange) {
  const input = h('input', { type: 'checkbox', id: `poster-${id}`, checked: true, onchange });
  return { input, element: h('label', { class: 'check' }, input, text) };
}

const GRIDS = [['', tr('No grid')], ['squares', tr('Squares, A1')], ['hexes', tr('Hexes, 0101')]];
/* 0: what the window shows. */
const SCALE_OPTIONS = [[0, tr('Fit the window')],
  ...SCALES.map((scale) => [scale, `1 : ${readable(String(scale))}`])];
const WAYS = [['portrait', tr('Portrait')], ['landscape', tr('Landscape')]];

/* `on` has change(), rescale(), save(), print() and cancel(). */
export function createView(element, on) {
  const paper = select('paper', PAPER_NAMES.map((name) => [name, name]), on.rescale);
  const way = select('way', WAYS, on.rescale);
  const scale = select('scale', SCALE_OPTIONS, on.rescale);
  const title = h('input', { type: 'text', id: 'poster-title', maxlength: TITLE_MAX,
    autocomplete: 'off' });
  const grid = select('grid', GRIDS, on.change);
  let chosenSize = NaN; /* by hand */
  const size = select('size', [], () => {
    chosenSize = Number(size.value);
  });
  const sizeField = field('size', tr('Cell'), size);
  const [names, pins, legend] = [['names', tr('Names')], ['pins', tr('Pins')],
    ['legend', tr('Legend')]].map(([id, text]) => check(id, text, on.change));
  const save = button('save', on.save, icon('take', 16), tr('Save as PNG'));
  const print = button('print', on.print, icon('poster', 16), tr('Print or save as PDF'));
  const cancel = button('cancel', on.cancel, tr('Cancel'));
  const said = h('p', { class: 'note', id: 'poster-status', role: 'status' });
  const hint = h('p', { class: 'note', id: 'poster-hint' });
  save.classList.add('main');
  cancel.hidden = true;
  element.append(
    hint,
    field('title', tr('Title'), title), field('paper', tr('Paper'), paper),
    field('way', tr('Format'), way), field('scale', tr('Scale'), scale),
    field('grid', tr('Grid'), grid), sizeField,
    h('div', { class: 'checks' }, names.element, pins.element, legend.element),
    h('div', { class: 'actions' }, save, print, cancel), said);

  return {
    /* What is chosen; `scale` is 0 to fit the window, `size` is NaN while none can be. */
    order: () => ({ title: title.value.trim(), paper: paper.value,
      isLandscape: way.value === 'landscape', scale: Number(scale.value), grid: grid.value, size: Number(size.value),
      names: names.input.checked, pins: pins.input.checked, legend: legend.input.checked }),
    /* The title of sheets that have no other. */
    setTitle(text) {
      title.placeholder = text;
    },
    /* Whether the window has all of the frame. */
    setHint(isSeen) {
      hint.textContent = isSeen
        ? tr('The frame on the map is what the sheet shows: move the map.')
        : tr('The frame is larger than the window: zoom out to see all that the sheet shows.');
    },
    setWay(isLandscape) {
      way.value = isLandscape ? 'landscape' : 'portrait';
    },
    /* Sizes of cells to choose from; the chosen one stays if it is among them. */
    setSizes({ sizes, usual }) {
      sizeField.hidden = grid.value === '';
      size.replaceChildren(...sizes.map((metres) =>
        h('option', { value: metres }, distanceText(metres))));
      size.value = String(sizes.includes(chosenSize) ? chosenSize : usual);
    },
    setMaking(making) {
      cancel.hidden = !making;
      save.disabled = print.disabled = making;
      if (making) cancel.focus();
    },
    say(text) {
      said.textContent = text;
    },
  };
}
