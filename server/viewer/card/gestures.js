/* What opens the place card on the map: a click or a tap, a right click or a long press, and the
 * Enter key. */

import { coordinateText, metresPerPixel, roundedPlace } from '../app/place.js';
import { toPlace } from '../map/map.js';

/* A second click within this time is a double click, which zooms. */
const DOUBLE_CLICK_MS = 250;

/* A finger that rests this long, and moves no farther, means the place under it. Not all browsers
 * make a contextmenu event of that. */
const LONG_PRESS_MS = 550;
const PRESS_PIXELS = 10;

/* Calls pressed(point) at a long press of one finger on an element. */
function watchLongPress(element, pressed) {
  let timer = 0;
  let start = null;
  let fired = false;
  const end = () => {
    clearTimeout(timer);
    start = null;
  };
  const listen = (types, listener) => {
    for (const type of types) element.addEventListener(type, listener, { passive: true });
  };
  listen(['pointerdown'], ({ pointerType, isPrimary, target, clientX, clientY }) => {
    end();
    if (pointerType === 'mouse' || !isPrimary || target.closest('.leaflet-control')) return;
    start = { clientX, clientY };
    fired = false;
    timer = setTimeout((point) => {
      fired = true;
      pressed(point);
    }, LONG_PRESS_MS, start);
  });
  listen(['pointermove'], ({ clientX, clientY }) => {
    if (start === null) return;
    if (Math.hypot(clientX - start.clientX, clientY - start.clientY) > PRESS_PIXELS) end();
  });
  listen(['pointerup', 'pointercancel'], end);
  /* Else the lifted finger clicks what has come up under it. */
  element.addEventListener('touchend', (event) => {
    if (fired) event.preventDefault();
    fired = false;
  });
}

/* A place as finely as the map can point at; exactly, where the map was sent to it. */
export function pointedPlace(app, { x, y }) {
  const { zoom, exact, ...centre } = app.map.view();
  if (exact && Math.hypot(x - centre.x, y - centre.y) < metresPerPixel(zoom)) {
    return roundedPlace(centre);
  }
  const [east, south] = [x, y].map((metres) => Number(coordinateText(metres, zoom)));
  return { x: east, y: south };
}

export function createGestures(app) {
  const map = app.map.leaflet;
  const container = map.getContainer();
  let touch = false;
  let timer = 0;

  const open = (place, focus = false) => {
    clearTimeout(timer);
    if (app.world !== null) app.drawers.open('card', { place: pointedPlace(app, place), focus });
  };

  container.addEventListener('pointerdown', ({ pointerType }) => {
    touch = pointerType !== 'mouse';
  }, { capture: true, passive: true });

  /* Tools that take the clicks later have them before this. */
  app.clicks.take((place, { detail }) => {
    clearTimeout(timer);
    if (detail > 1) return;
    timer = setTimeout(() => open(place), DOUBLE_CLICK_MS);
  });
  map.on('dblclick zoomstart dragstart', () => clearTimeout(timer));
  map.on('contextmenu', ({ latlng, originalEvent }) => {
    originalEvent.preventDefault();
    if (!touch) open(toPlace(latlng));
  });
  watchLongPress(container, (point) => open(toPlace(map.mouseEventToLatLng(point))));
  container.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target !== container) return;
    event.preventDefault();
    open(app.map.view(), true);
  });
}
