/* The list of pins in the card: each has its name to edit, is gone to, shared and removed. A change
 * of the pins changes the rows that it is about; the focus stays where it is. */

import { h, iconButton, removeItem } from '../app/dom.js';
import { placeText } from '../app/place.js';
import { NAME_MAX } from './pins.js';
import { tr } from '../texts/texts.js';

const labelOf = (pin) => pin.name || placeText(pin);
const keyOf = (pin) => `${pin.x},${pin.y}`;

function setTitle(button, title) {
  button.title = title;
  button.setAttribute('aria-label', title);
}

/* {element, show(pin)}: show() gives the row a pin that has another name. `on` has: go(pin),
 * share(pin). */
function pinRow(pins, first, on) {
  let pin = first;
  const name = h('input', {
    type: 'text', 'data-place': placeText(pin), maxlength: NAME_MAX, placeholder: tr('Name'),
    'aria-label': tr('Name of the pin at {0}', placeText(pin)), autocomplete: 'off',
    onchange() {
      pins.rename(pin, name.value);
      name.value = pin.name;
    },
  });
  const buttons = [
    [(label) => tr('Go to {0}', label), iconButton('next', '', () => on.go(pin))],
    [(label) => tr('Copy a link to {0}', label), iconButton('link', '', () => on.share(pin))],
    [(label) => tr('Remove {0}', label), iconButton('remove', '', () => pins.remove(pin))],
  ];
  return {
    element: h('li', {}, name, buttons.map(([, button]) => button)),
    show(next) {
      pin = next;
      if (document.activeElement !== name) name.value = pin.name;
      for (const [titled, button] of buttons) setTitle(button, titled(labelOf(pin)));
    },
  };
}

/* The pin of the address. */
function sharedRow(pins, pin, on) {
  const label = labelOf(pin);
  const keep = () => {
    if (!pins.add(pin, pin.name)) on.say(pins.fullText());
  };
  return {
    element: h('li', { class: 'shared' }, h('span', {}, tr('{0} (from the address)', label)),
      iconButton('next', tr('Go to {0}', label), () => on.go(pin)),
      iconButton('pin', tr('Keep {0}', label), keep),
      iconButton('remove', tr('Remove {0} from the address', label), () => pins.removeShared())),
    show() {},
  };
}

/* {element, edit(place)}: the element follows the pins; edit() goes to the name of one. `on` has:
 * go(pin), share(pin), say(text). */
export function createPinList(pins, on) {
  const list = h('ul', { class: 'pins' });
  const note = h('p', { class: 'note' });
  const element = h('section', { 'aria-label': tr('Pins'), hidden: true },
    h('h3', {}, tr('Pins of this world')), list, note);
  const rows = new Map(); /* by keys of places */

  /* The rows that there shall be, in order: [key, pin, how to make the row]. */
  const wanted = () => {
    const shared = pins.shared();
    const extra = shared !== null && pins.find(shared) === undefined;
    return [...(extra ? [[`shared ${keyOf(shared)},${shared.name}`, shared, sharedRow]] : []),
      ...pins.list().map((pin) => [keyOf(pin), pin, pinRow])];
  };
  const update = () => {
    const all = wanted();
    const keys = new Set(all.map(([key]) => key));
    for (const [key, row] of rows) {
      if (keys.has(key)) continue;
      rows.delete(key);
      removeItem(row.element, 'button');
    }
    all.forEach(([key, pin, create], index) => {
      const row = rows.get(key) ?? create(pins, pin, on);
      rows.set(key, row);
      row.show(pin);
      const there = list.children[index];
      if (there !== row.element) list.insertBefore(row.element, there ?? null);
    });
    element.hidden = all.length === 0;
    note.textContent = pins.kept() ? '' : tr('This browser does not keep them.');
  };
  pins.on('changed', update);
  update();
  return {
    element,
    edit(place) {
      const field = list.querySelector(`[data-place="${placeText(place)}"]`);
      field?.focus();
      field?.select();
    },
  };
}
