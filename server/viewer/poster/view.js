/* What the drawer of the poster shows. */

import { h, icon } from '../app/dom.js';
import { distanceText } from '../app/units.js';
import { tr } from '../texts/texts.js';
import { PAPER_NAMES } from './paper.js';

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
const WAYS = [['portrait', tr('Portrait')], ['landscape', tr('Landscape')]];

/* `on` has change(), save(), print() and cancel(). */
export function createView(element, on) {
  const paper = select('paper', PAPER_NAMES.map((name) => [name, name]), on.change);
  const way = select('way', WAYS, on.change);
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
  save.classList.add('main');
  cancel.hidden = true;
  element.append(
    h('p', { class: 'note' }, tr('The frame on the map is what the sheet shows: move the map.')),
    field('title', tr('Title'), title), field('paper', tr('Paper'), paper),
    field('way', tr('Format'), way), field('grid', tr('Grid'), grid), sizeField,
    h('div', { class: 'checks' }, names.element, pins.element, legend.element),
    h('div', { class: 'actions' }, save, print, cancel), said);

  return {
    /* What is chosen; `size` is NaN while none can be. */
    order: () => ({ title: title.value.trim(), paper: paper.value,
      isLandscape: way.value === 'landscape', grid: grid.value, size: Number(size.value),
      names: names.input.checked, pins: pins.input.checked, legend: legend.input.checked }),
    /* The title of sheets that have no other. */
    setTitle(text) {
      title.placeholder = text;
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
