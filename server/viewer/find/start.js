/* Where searches begin: the map's centre, or the place that the card has handed over. */

import { h, iconButton } from '../app/dom.js';
import { placeText, roundedPlace } from '../app/place.js';
import { tr } from '../texts/texts.js';

/* changed() hears of another beginning. */
export function createStart(app, changed) {
  let fixed = null;
  const text = h('span', { id: 'find-from' });
  const back = iconButton('close', tr('From the map’s centre instead'), () => set(null));
  const set = (place) => {
    fixed = place === null ? null : roundedPlace(place);
    text.textContent = place === null ? tr('the map’s centre') : placeText(place);
    back.hidden = place === null;
    changed();
  };
  return {
    element: h('p', { class: 'from' }, h('span', {}, tr('From ')), text, back),
    /* null: the map's centre. */
    set,
    place: () => fixed ?? roundedPlace(app.map.view()),
  };
}
