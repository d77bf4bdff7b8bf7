/* The list of pins in the card: each has its name to edit, is gone to, shared and removed. */

import { h, iconButton } from '../app/dom.js';
import { placeText } from '../app/place.js';
import { NAME_MAX } from './pins.js';

/* `on` has: go(pin), share(pin). */
function pinRow(pins, pin, on) {
  const label = pin.name || placeText(pin);
  const name = h('input', {
    type: 'text', 'data-place': placeText(pin), maxlength: NAME_MAX, placeholder: 'Name',
    'aria-label': `Name of the pin at ${placeText(pin)}`, autocomplete: 'off',
    onchange: () => pins.rename(pin, name.value),
  });
  name.value = pin.name;
  return h('li', {}, name,
    iconButton('next', `Go to ${label}`, () => on.go(pin)),
    iconButton('link', `Copy a link to ${label}`, () => on.share(pin)),
    iconButton('remove', `Remove ${label}`, () => pins.remove(pin)));
}

function sharedRow(pins, pin, on) {
  const label = pin.name || placeText(pin);
  return h('li', { class: 'shared' }, h('span', {}, `${label} (from the address)`),
    iconButton('next', `Go to ${label}`, () => on.go(pin)),
    iconButton('pin', `Keep ${label}`, () => pins.add(pin, pin.name)),
    iconButton('remove', `Remove ${label} from the address`, () => pins.removeShared()));
}

/* {element, edit(place)}: the element follows the pins; edit() goes to the name of one. */
export function createPinList(pins, on) {
  const list = h('ul', { class: 'pins' });
  const note = h('p', { class: 'note' });
  const element = h('section', { 'aria-label': 'Pins', hidden: true },
    h('h3', {}, 'Pins of this world'), list, note);
  const update = () => {
    const own = pins.list();
    const shared = pins.shared();
    const extra = shared !== null && pins.find(shared) === undefined;
    list.replaceChildren(...(extra ? [sharedRow(pins, shared, on)] : []),
      ...own.map((pin) => pinRow(pins, pin, on)));
    element.hidden = own.length === 0 && !extra;
    note.textContent = pins.kept() ? '' : 'This browser does not keep them.';
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
