/* What opens the place card on the map: a click of the mouse, a right click or a long press, and the
 * Enter key. A tap aims the readout; it moves the card only while that is open. */

import { coordinateText } from '../app/place.js';
import { toPlace } from '../map/map.js';

/* A second click within this time is a double click, which zooms. */
const DOUBLE_CLICK_MS = 250;

export function createGestures(app) {
  const map = app.map.leaflet;
  const container = map.getContainer();
  let touch = false;
  let timer = 0;

  /* A place as finely as the map can point at. */
  const open = (place, detail = {}) => {
    clearTimeout(timer);
    const { zoom } = app.map.view();
    const [x, y] = [place.x, place.y].map((metres) => Number(coordinateText(metres, zoom)));
    if (app.world !== null) app.drawers.open('card', { ...detail, place: { x, y } });
  };

  container.addEventListener('pointerdown', ({ pointerType }) => {
    touch = pointerType !== 'mouse';
  }, { capture: true, passive: true });

  /* Tools that take the clicks later have them before this. */
  app.clicks.take((place, event) => {
    clearTimeout(timer);
    if (event.detail > 1 || (touch && app.drawers.current() !== 'card')) return;
    timer = setTimeout(open, DOUBLE_CLICK_MS, place);
  });
  map.on('dblclick zoomstart dragstart', () => clearTimeout(timer));
  map.on('contextmenu', ({ latlng, originalEvent }) => {
    originalEvent.preventDefault();
    open(toPlace(latlng));
  });
  container.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.target !== container) return;
    event.preventDefault();
    open(app.map.view(), { focus: true });
  });
}
