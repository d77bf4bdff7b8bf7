/* A divider over the map: other tiles on its left, the map's own on its right. Both are of one map,
 * so they move together. */

import { h, icon, loadStyle } from '../app/dom.js';
import { freeBox } from './free.js';
import { createTiles } from './map.js';

/* What keys move the divider by, as parts of the visible map. */
const KEYS = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02,
  PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 };
const [LEAST, MOST] = [0.03, 0.97]; /* of the visible map, on the left */

/* moved({x} in pixels of the window or {step} as a part) is called by the mouse, fingers or keys. */
function createDivider(label, moved) {
  const handle = h('div', {
    class: 'swipe-handle', role: 'slider', tabindex: 0, 'aria-valuemin': 100 * LEAST,
    'aria-valuemax': 100 * MOST, 'aria-label': label,
  }, icon('stretch'));
  const [left, right] = ['before', 'after'].map((side) => h('span', { class: side }));
  const element = h('div', { class: 'swipe', hidden: true }, left, handle, right);
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    handle.focus();
    handle.setPointerCapture(event.pointerId);
  });
  handle.addEventListener('pointermove', (event) => {
    if (handle.hasPointerCapture(event.pointerId)) moved({ x: event.clientX });
  });
  handle.addEventListener('keydown', (event) => {
    const step = KEYS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    moved({ step });
  });
  return { element, handle, left, right };
}

/* `pane` is the name of the pane of the other tiles, `label` that of the divider for screen readers.
 * show(source) begins: its template() gives the address of the other tiles for what the map shows
 * now, texts() the words on the left and on the right, and named() whether the map's names are those
 * of the left, too. hide() ends. */
export function createSwipe(app, { pane: name, label }) {
  loadStyle('viewer/map/swipe.css');
  const { leaflet } = app.map;
  let source = null;   /* while the divider is there */
  let tiles = null;
  let coming = null;   /* the tiles of another address, until all have come */
  let shown = null;    /* the address of the newest of both */
  let part = 0.5;      /* of the visible map, on the left */

  const pane = () => leaflet.getPane(name) ?? leaflet.createPane(name);

  /* Names are those of the map on the right. */
  const clipNames = (clip) => {
    const names = leaflet.getPane('names');
    if (names) names.style.clip = clip;
  };

  const place = () => {
    if (source === null) return;
    const box = freeBox(leaflet, ['drawer']);
    const x = box.left + (box.right - box.left) * part;
    const from = leaflet.containerPointToLayerPoint([0, 0]);
    const to = leaflet.containerPointToLayerPoint([x, box.bottom]);
    pane().style.clip = `rect(${from.y}px, ${to.x}px, ${to.y}px, ${from.x}px)`;
    clipNames(source.named() ? '' : `rect(${from.y}px, 99999px, ${to.y}px, ${to.x}px)`);
    divider.element.style.left = `${x}px`;
    divider.element.style.height = `${box.bottom}px`;
    const percent = Math.round(100 * part);
    const [left, right] = source.texts();
    divider.left.textContent = left;
    divider.right.textContent = right;
    divider.handle.setAttribute('aria-valuenow', String(percent));
    divider.handle.setAttribute('aria-valuetext', `${percent}\u202f% ${left}`);
    app.events.emit('covers');
  };

  const divider = createDivider(label, ({ x, step }) => {
    const box = freeBox(leaflet, ['drawer']);
    const wanted = step === undefined ? (x - box.left) / (box.right - box.left) : part + step;
    part = Math.min(MOST, Math.max(LEAST, wanted));
    place();
  });
  document.getElementById('stage').append(divider.element);

  const clear = () => {
    tiles?.remove();
    coming?.remove();
    tiles = coming = shown = null;
  };

  const update = () => {
    if (source === null) return;
    place();
    const wanted = source.template();
    if (wanted === shown) return;
    shown = wanted;
    coming?.remove();
    const own = coming = createTiles(wanted, { pane: name });
    own.once('load', () => {
      if (own !== coming) return;
      tiles?.remove();
      tiles = own;
      coming = null;
      update();
    });
    pane().style.zIndex = '250';
    pane().style.pointerEvents = 'none';
    own.addTo(leaflet);
  };

  app.on('shown', update);
  app.on('loaded', place); /* names may be there for the first time */
  /* While time plays, a moment that is on its way comes before the next. */
  app.on('time', () => coming === null && update());
  app.on('drawer', () => requestAnimationFrame(place));
  leaflet.on('move zoomend resize', place);

  return {
    show(wanted) {
      source = wanted;
      divider.element.hidden = false;
      update();
    },
    clear,
    hide() {
      source = null;
      clipNames('');
      clear();
      divider.element.hidden = true;
      app.events.emit('covers');
    },
  };
}
