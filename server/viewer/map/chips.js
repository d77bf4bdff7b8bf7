/* What tools have drawn on the map and left there: a row of words at its lower edge, each with a
 * button that takes the drawing away. */

import { h, icon } from '../app/dom.js';
import { tr } from '../texts/texts.js';

const row = h('ul', {});
const bar = h('section', { id: 'chips', 'aria-label': tr('Drawn on the map'), hidden: true }, row);
const chips = new Map();
const REMOVE = { title: tr('Remove from the map'), icon: 'close' };

/* Takes the chip away, and does not call its remove(). */
export function removeChip(name) {
  chips.get(name)?.remove();
  chips.delete(name);
  bar.hidden = chips.size === 0;
}

/* Shows the chip of this name, anew if there is one; its button, which has a title and an icon,
 * calls remove(). */
export function showChip(name, text, remove, { title, icon: shape } = REMOVE) {
  if (!bar.isConnected) document.getElementById('stage').before(bar);
  bar.hidden = false;
  const button = h('button', {
    type: 'button', title, 'aria-label': `${title}: ${text}`,
    onclick() {
      removeChip(name);
      remove();
      document.getElementById('map').focus({ preventScroll: true });
    },
  }, icon(shape, 14));
  const chip = h('li', { 'data-chip': name }, h('span', {}, text), button);
  if (chips.has(name)) chips.get(name).replaceWith(chip);
  else row.append(chip);
  chips.set(name, chip);
}
