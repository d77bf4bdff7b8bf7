/* The version before on the left of a divider over the map, the present one on its right. */

import { tileTemplate, findStyle } from '../app/api.js';
import { h, icon } from '../app/dom.js';
import { createTiles } from '../map/map.js';
import { visibleBox } from './view.js';

const PANE = 'lab-before';
/* What keys move the divider by, as parts of the visible map. */
const KEYS = { ArrowLeft: -0.02, ArrowDown: -0.02, ArrowRight: 0.02, ArrowUp: 0.02,
  PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 };

function createDivider(moved) {
  const handle = h('div', {
    class: 'swipe-handle', role: 'slider', tabindex: 0, 'aria-valuemin': 3, 'aria-valuemax': 97,
    'aria-label': 'Divider between the version before and the present one',
  }, icon('stretch'));
  const element = h('div', { class: 'swipe', hidden: true },
    h('span', { class: 'before' }, 'Before'), handle, h('span', { class: 'after' }, 'Now'));
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
  return { element, handle };
}

/* show(world) begins with the world before; hide() ends. */
export function createCompare(app) {
  const { leaflet } = app.map;
  let tiles = null;
  let coming = null;   /* the tiles of another moment or style, until all have come */
  let shown = null;    /* the address of the newest of both */
  let before = null;
  let part = 0.5;   /* of the visible map, on the left */

  const pane = () => leaflet.getPane(PANE) ?? leaflet.createPane(PANE);

  const place = () => {
    if (before === null) return;
    const box = visibleBox(app);
    const x = box.left + (box.right - box.left) * part;
    const from = leaflet.containerPointToLayerPoint([0, 0]);
    const to = leaflet.containerPointToLayerPoint([x, box.bottom]);
    pane().style.clip = `rect(${from.y}px, ${to.x}px, ${to.y}px, ${from.x}px)`;
    divider.element.style.left = `${x}px`;
    divider.element.style.height = `${box.bottom}px`;
    const percent = Math.round(100 * part);
    divider.handle.setAttribute('aria-valuenow', String(percent));
    divider.handle.setAttribute('aria-valuetext', `${percent}\u202f% the version before`);
  };

  const divider = createDivider(({ x, step }) => {
    const box = visibleBox(app);
    const wanted = step === undefined ? (x - box.left) / (box.right - box.left) : part + step;
    part = Math.min(0.97, Math.max(0.03, wanted));
    place();
  });
  document.getElementById('stage').append(divider.element);

  const clear = () => {
    tiles?.remove();
    coming?.remove();
    tiles = coming = shown = null;
  };

  /* The tiles of the world before, in the style and of the moment that the map has. */
  const showTiles = () => {
    if (before === null) return;
    const style = findStyle(before, app.style) ? app.style : 'relief';
    const wanted = tileTemplate(before, style, app.time);
    if (wanted === shown) return;
    shown = wanted;
    coming?.remove();
    const own = coming = createTiles(wanted, { pane: PANE });
    own.once('load', () => {
      if (own !== coming) return;
      tiles?.remove();
      tiles = own;
      coming = null;
      showTiles();
    });
    pane().style.zIndex = '250';
    pane().style.pointerEvents = 'none';
    own.addTo(leaflet);
    place();
  };

  app.on('shown', showTiles);
  /* While time plays, a moment that is on its way comes before the next. */
  app.on('time', () => coming === null && showTiles());
  leaflet.on('move zoomend resize', place);

  return {
    show(world) {
      before = world;
      clear();
      divider.element.hidden = false;
      showTiles();
    },
    hide() {
      before = null;
      clear();
      divider.element.hidden = true;
    },
  };
}
