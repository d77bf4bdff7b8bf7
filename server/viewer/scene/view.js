/* The world in MapLibre: its tiles on its ground, wherever the eye goes. The square of MapLibre is
 * laid anew when the eye leaves its inner part or jumps out of it; until the new one is drawn, the
 * last picture covers the window. */

import { h } from '../app/dom.js';
import { createEvents } from '../app/events.js';
import { createMap, groundAt } from './camera.js';
import { createPace } from './pace.js';
import {
  fromMapZoom, heightFactor, leaves, squareAround, toLngLat, toMapZoom, toPlace,
} from './square.js';
import {
  needsShade, paintOf, sceneStyle, skyOf, terrainAt, tileAddress, tilesOf,
} from './style.js';
import { tr } from '../texts/texts.js';

export const ZOOMS = { min: 3, max: 21 };  /* the page's; the last one magnifies */
const SCALE_ERROR = 0.005;      /* of heights against lengths, from which on they are set right */
const RETRY_MS = [1000, 30000]; /* after tiles that did not come: the first time, and at most */
const LATE_MS = 500;            /* after which the page says that it waits for the ground */
const STILL_MS = 8000;          /* the last picture goes then, even if tiles are missing */

/* Covers `container` with what the map shows, and says that it waits if that takes long; gives the
 * function that uncovers it. */
function coverWithStill(map, container) {
  const canvas = map.getCanvas();
  const still = h('canvas', { class: 'still', width: canvas.width, height: canvas.height });
  map.redraw();
  still.getContext('2d').drawImage(canvas, 0, 0);
  const note = h('p', { class: 'hint', role: 'status' });
  const late = setTimeout(() => { note.textContent = tr('Loading the ground …'); }, LATE_MS);
  container.append(still, note);
  return () => {
    clearTimeout(late);
    still.remove();
    note.remove();
  };
}

/* Tiles that did not come are asked for again, less and less often. */
function createRetry(again) {
  let timer = 0;
  let delay = RETRY_MS[0];
  return {
    start() {
      if (timer !== 0) return;
      timer = setTimeout(() => {
        timer = 0;
        delay = Math.min(2 * delay, RETRY_MS[1]);
        again();
      }, delay);
    },
    stop() {
      clearTimeout(timer);
      timer = 0;
      delay = RETRY_MS[0];
    },
  };
}

/* `start`: {place, ground, zoom, pitch, bearing, exaggeration, light}; ground is the place's height,
 * and light is that of an hour (sun.js), or null for the map's own.
 * Events:
 *   'ready'    there is a new style, without what was added to the one before
 *   'moved', 'rested'   the camera
 *   'drawn'    all that can come has come
 *   'broken', 'mended'  a tile did not come; all have come
 *   'detail'   which share of the objects is to be drawn
 * The container is aria-busy until the picture is complete. */
export function createView(app, container, start) {
  const events = createEvents();
  let square = squareAround(start.place);
  let { exaggeration, light } = start;
  let world = app.world;
  let version = 0;
  let busy = false;            /* the square is being laid anew */
  let atRest = false;

  const style = (lat) => sceneStyle({
    square, lat, exaggeration, version, light, shade: needsShade(app.world, app.style),
  });
  const centre = toLngLat(square, start.place);
  const map = createMap(container, {
    style: style(centre[1]),
    center: centre,
    elevation: start.ground * heightFactor * exaggeration,
    zoom: toMapZoom(start.zoom),
    minZoom: toMapZoom(ZOOMS.min),
    maxZoom: toMapZoom(ZOOMS.max),
    pitch: start.pitch,
    bearing: start.bearing,
    transformRequest: (url) =>
      ({ url: tileAddress(url, { square, world, style: app.style, time: app.time }) }),
  });
  const place = () => toPlace(square, map.getCenter());
  const pace = createPace(map, (share) => events.emit('detail', share));

  const reload = (kinds) => {
    version += 1;
    for (const id of kinds) {
      map.getSource(id)?.setTiles(tilesOf(id === 'picture' ? 'picture' : 'heights', version));
    }
  };
  /* What is lit by the server already needs no shades, but for those of a sun. */
  const showShade = () => {
    const isShown = light !== null || needsShade(app.world, app.style);
    map.setLayoutProperty('shade', 'visibility', isShown ? 'visible' : 'none');
  };
  const retry = createRetry(() => reload(['picture', 'ground', 'shade']));

  const layAnew = (there, zoom) => {
    const uncover = coverWithStill(map, container);
    const done = () => {
      clearTimeout(timer);
      map.off('idle', done);
      busy = false;
      uncover();
      events.emit('rested');
    };
    const timer = setTimeout(done, STILL_MS);
    square = squareAround(there);
    busy = true;
    version += 1;
    const center = toLngLat(square, there);
    map.setStyle(style(center[1]), { diff: false });
    map.jumpTo({ center, zoom });
    map.once('style.load', () => map.once('idle', done));
  };

  const scaleHeights = () => {
    if (busy || !map.getTerrain()) return;
    const wanted = terrainAt(map.getCenter().lat, exaggeration);
    const error = map.getTerrain().exaggeration / wanted.exaggeration - 1;
    if (Math.abs(error) > SCALE_ERROR) map.setTerrain(wanted);
  };

  map.on('style.load', () => events.emit('ready'));
  map.on('move', () => {
    scaleHeights();
    if (!busy && leaves(square, place())) layAnew(place(), map.getZoom());
    events.emit('moved');
  });
  map.on('moveend', () => !busy && events.emit('rested'));
  map.on('error', ({ error, tile }) => {
    if (!tile) {
      console.error(error);
      return;
    }
    retry.start();
    events.emit('broken');
  });
  const setBusy = (loads) => container.setAttribute('aria-busy', String(loads));
  map.on('dataloading', () => setBusy(true));
  map.on('movestart', () => {
    atRest = false;
    setBusy(true);
  });
  map.on('idle', () => {
    atRest = true;
    events.emit('drawn');     /* which may move the camera */
    if (!atRest || pace.coarse() || !map.areTilesLoaded()) return;
    setBusy(false);
    retry.stop();
    events.emit('mended');
  });
  setBusy(true);

  return {
    map,
    on: events.on,
    square: () => square,
    place,
    zoom: () => fromMapZoom(map.getZoom()),
    /* Whether the camera must not be moved just now. */
    busy: () => busy,
    groundAt: (there) => groundAt(map, square, there),
    exaggeration: () => exaggeration,
    setExaggeration(times) {
      exaggeration = times;
      scaleHeights();
    },
    /* Goes to a place at once. */
    go(there, zoom) {
      if (leaves(square, there)) layAnew(there, toMapZoom(zoom));
      else map.jumpTo({ center: toLngLat(square, there), zoom: toMapZoom(zoom) });
    },
    /* Shows the app's world, style and time. */
    follow() {
      const sameWorld = world === app.world;
      world = app.world;
      if (!map.getLayer('shade')) return;   /* it will come with the style that loads */
      reload(sameWorld ? ['picture'] : ['picture', 'ground', 'shade']);
      showShade();
    },
    light: () => light,
    setLight(wanted) {
      light = wanted;
      if (!map.getLayer('shade')) return;
      map.setSky(skyOf(light));
      for (const [layer, paint] of Object.entries(paintOf(light))) {
        for (const [name, value] of Object.entries(paint)) map.setPaintProperty(layer, name, value);
      }
      showShade();
    },
    remove() {
      retry.stop();
      pace.stop();
      map.remove();
    },
  };
}
