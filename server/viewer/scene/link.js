/* Between the scene and the rest of the page: the address and the map below follow the scene, the
 * scene follows them, and to point at the scene is to point at the map. */

import { coordinateText, metresPerPixel } from '../app/place.js';
import { readScene, wholeZoom, writeScene } from './address.js';
import { toPlace } from './square.js';
import { ZOOMS } from './view.js';

const REST_MS = 250;
const AIM_MS = 100;

/* Pointing: the readout shows the place under the mouse; a click is a click on the map. */
function linkPointer(app, view) {
  let aimed = 0;
  const placeOf = ({ lngLat }) => toPlace(view.square(), lngLat);
  view.map.on('mousemove', (event) => {
    if (performance.now() - aimed < AIM_MS) return;
    aimed = performance.now();
    app.map.setAim(placeOf(event));
  });
  view.map.on('click', (event) => {
    app.map.setAim(placeOf(event));
    app.clicks.dispatch(placeOf(event), event.originalEvent);
  });
}

/* A place as finely as the map can show; exactly, if the map was sent there and is there still. */
function placeToWrite(app, { x, y }, zoom) {
  const shown = app.map.view();
  const away = Math.hypot(x - shown.x, y - shown.y);
  if (shown.exact && away < metresPerPixel(zoom)) return { x: shown.x, y: shown.y };
  const [east, south] = [x, y].map((metres) => Number(coordinateText(metres, zoom)));
  return { x: east, y: south };
}

/* `shown()` is called when the app shows another world, style or time; sun.hour() and sun.set(hour)
 * are the hour of the light. */
export function createLink(app, view, { motion, sun, shown }) {
  const { map } = view;
  let own = false;
  let rest = 0;

  const write = () => {
    clearTimeout(rest);
    rest = 0;
    const there = motion.stands() ?? view.place();
    const zoom = wholeZoom(view.zoom());
    const extras = writeScene({
      pitch: map.getPitch(), bearing: map.getBearing(), zoom: view.zoom(),
      exaggeration: view.exaggeration(), walk: motion.walking(), sun: sun.hour(),
    });
    own = true;
    app.map.setView(placeToWrite(app, there, zoom), zoom);
    for (const [name, text] of Object.entries(extras)) app.setExtra(name, text);
    own = false;
  };
  const writeLater = () => {
    clearTimeout(rest);
    rest = setTimeout(write, REST_MS);
  };
  /* Something else moved the map below: the scene goes there. */
  const follow = () => {
    if (own) return;
    const { zoom, ...there } = app.map.view();
    if (motion.walking()) motion.rise();
    view.go(there, Math.max(ZOOMS.min, zoom));
  };

  /* The address was edited, or Back was used. */
  const followExtras = () => {
    const { bearing, pitch, exaggeration, walk, sun: hour } = readScene(app.extras);
    sun.set(hour);
    view.setExaggeration(exaggeration);
    if (walk) motion.walk(app.map.view(), bearing, pitch);
    else map.jumpTo({ bearing, pitch });
  };

  linkPointer(app, view);
  const ends = [
    view.on('rested', writeLater),
    view.on('broken', () => app.events.emit('broken')),
    view.on('mended', () => app.events.emit('mended')),
    app.on('shown', shown),
    app.on('time', shown),
    app.on('view', follow),
    app.on('extras', () => 'pitch' in app.extras && followExtras()),
  ];
  return {
    write,
    close() {
      for (const end of ends) end();
      /* Where Back has left the scene, the map is elsewhere by now. */
      if (rest !== 0 && 'pitch' in app.extras) write();
      clearTimeout(rest);
      app.map.setAim(null);
    },
  };
}
