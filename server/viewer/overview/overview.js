/* A small map of the surroundings, five zooms out, with a frame around what the map shows. It shows
 * the map's own style; a click, or a drag on it, moves the map there. It is one button for keys and
 * screen readers: arrows move the map by a part of the small one. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { tileTemplate } from '../app/api.js';
import { h, loadStyle } from '../app/dom.js';
import { placeText } from '../app/place.js';
import { createTiles, toLatLng, toPlace } from '../map/map.js';
import { tr } from '../texts/texts.js';

const OUT = 5;          /* zooms, less where the map is so far out already */
const KEY_PART = 0.1;   /* of the small map's width, that an arrow key moves */
const FRAME_MIN = 8;    /* pixels: a smaller frame is a point */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export function createOverview(app) {
  loadStyle('viewer/overview/overview.css').catch((error) => app.status.set('tool', error.message));
  const { leaflet } = app.map;
  const canvas = h('div', { class: 'overview-map' });
  const frame = h('div', { class: 'overview-frame' });
  const element = h('div', { id: 'overview', role: 'group', tabindex: 0, hidden: true,
    'aria-label': tr('Overview. Arrow keys move the map.') }, canvas, frame);
  document.getElementById('stage').before(element);
  const map = L.map(canvas, {
    crs: leaflet.options.crs, zoomControl: false, attributionControl: false, dragging: false,
    keyboard: false, scrollWheelZoom: false, doubleClickZoom: false, boxZoom: false,
    touchZoom: false, zoomAnimation: false, fadeAnimation: false, inertia: false,
  });
  let layers = [];      /* of tiles: the newest, after those that it has yet to take the place of */
  let painted = null;   /* the template of the newest */
  let shown = false;
  let dragged = false;   /* the small map rests while the frame is dragged on it */

  const showFrame = () => {
    const { x: width, y: height } = leaflet.getSize();
    const scale = 2 ** (map.getZoom() - leaflet.getZoom());
    const { x, y } = map.latLngToContainerPoint(leaflet.getCenter());
    const [wide, high] = [width, height].map((pixels) => Math.max(FRAME_MIN, pixels * scale));
    frame.style.width = `${wide}px`;
    frame.style.height = `${high}px`;
    frame.style.transform = `translate(${x - wide / 2}px, ${y - high / 2}px)`;
  };
  const follow = () => {
    if (!shown) return;
    const { x, y, zoom } = app.map.view();
    if (!dragged) map.setView(toLatLng({ x, y }), Math.max(0, zoom - OUT), { animate: false });
    showFrame();
    element.setAttribute('aria-description', tr('The map’s centre is at {0}.',
      placeText({ x, y })));
  };
  const showTiles = () => {
    if (!shown || app.world === null) return;
    const template = tileTemplate(app.world, app.style, app.time);
    if (painted === template) return;
    painted = template;
    const tiles = createTiles(template, { keepBuffer: 0 });
    /* One that is replaced before it has come never tells that it has. */
    tiles.once('load', () => {
      const older = layers.splice(0, Math.max(0, layers.indexOf(tiles)));
      for (const layer of older) layer.remove();
    });
    for (const layer of layers.splice(1)) layer.remove();
    layers.push(tiles);
    tiles.addTo(map);
  };
  const goTo = (event) => {
    const box = canvas.getBoundingClientRect();
    const at = [event.clientX - box.left, event.clientY - box.top];
    app.map.setView(toPlace(map.containerPointToLatLng(at)), app.map.view().zoom);
  };
  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    element.setPointerCapture(event.pointerId);
    dragged = true;
    goTo(event);
  });
  element.addEventListener('pointermove', (event) => dragged && goTo(event));
  for (const type of ['pointerup', 'pointercancel']) {
    element.addEventListener(type, () => {
      dragged = false;
      follow();
    });
  }
  element.addEventListener('keydown', (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    const { x, y, zoom } = app.map.view();
    const step = KEY_PART * canvas.clientWidth * 2 ** (17 - map.getZoom());
    app.map.setView({ x: x + arrow[0] * step, y: y + arrow[1] * step }, zoom);
  });
  /* Its stylesheet may come later, or the window change. */
  new ResizeObserver(() => {
    if (!shown) return;
    map.invalidateSize(false);
    follow();
  }).observe(canvas);
  leaflet.on('move zoomend resize', follow);
  app.on('shown', showTiles);

  return {
    setShown(wanted) {
      if (shown === wanted) return;
      shown = wanted;
      element.hidden = !shown;
      app.events.emit('covers');
      if (!shown) return;
      follow();
      showTiles();
    },
  };
}
