/* A line for who sees the page for the first time: what one may do. It is gone with the first use
 * of the map, a tool or the dice, and the browser remembers that. */

import { h } from '../app/dom.js';
import { tr } from '../texts/texts.js';

const KEY = 'terrane.welcomed';
const USES = 'dragstart zoomstart click'; /* of the map */
const MOUSE = tr('Drag to move, scroll to zoom, click for what is there. The cube shows 3-D, the '
  + 'dice another seed.');
const FINGERS = tr('Drag to move, pinch to zoom, tap for what is there. The cube shows 3-D.');

/* A browser may keep nothing: then the line comes back with the next visit. */
function wasWelcomed() {
  try {
    return localStorage.getItem(KEY) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(KEY, '1');
  } catch {
    /* The line is gone all the same. */
  }
}

export function startWelcome(app) {
  if (wasWelcomed()) return;
  const fingers = matchMedia('(pointer: coarse)').matches;
  const line = h('aside', { id: 'welcome', 'aria-label': tr('First steps') },
    h('p', {}, fingers ? FINGERS : MOUSE));
  const buttons = ['toolbar', 'dice'].map((id) => document.getElementById(id));
  const map = app.map.leaflet;
  const leave = () => {
    map.off(USES, leave);
    for (const button of buttons) button.removeEventListener('click', leave);
    line.remove();
    remember();
    app.events.emit('covers');
  };
  const first = app.on('shown', () => {
    first();
    document.getElementById('stage').before(line);
    map.on(USES, leave);
    for (const button of buttons) button.addEventListener('click', leave);
  });
}
