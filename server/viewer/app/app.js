/* What the page shows, and how that changes: world and seed, style, time and place. Tools read it
 * here, change it here, and hear of changes by events. Nothing here knows a tool. */

import { createMap } from '../map/map.js';
import { findStyle, getWorld, tileTemplate } from './api.js';
import { createEvents } from './events.js';
import { formatPermalink } from './permalink.js';

const USUAL_STYLE = 'relief';

/* A request that takes back the one before: `run(ask)` gives what ask(signal) gives, or null when a
 * newer one has taken its place. */
export function createLatest() {
  let pending = null;
  return async (ask) => {
    pending?.abort();
    const own = new AbortController();
    pending = own;
    try {
      const answer = await ask(own.signal);
      return own.signal.aborted ? null : answer;
    } catch (error) {
      if (own.signal.aborted) return null;
      throw error;
    }
  };
}

/* Handlers of clicks on the map: the one that was taken last has them. */
function createClicks() {
  const handlers = [];
  return {
    /* Clicks go to `handler(place, event)` until the function that this gives is called. */
    take(handler) {
      handlers.push(handler);
      return () => {
        const index = handlers.indexOf(handler);
        if (index >= 0) handlers.splice(index, 1);
      };
    },
    dispatch(place, event) {
      handlers.at(-1)?.(place, event);
    },
  };
}

/* The app's events:
 *   'shown'    world, seed, style or time changed; the map has the new address of its tiles
 *   'view'     the map was moved or zoomed
 *   'aim'      the place that the readout is about may be another
 *   'extras'   the address has other extras: it was edited, or Back was used
 *   'broken', 'mended'   a tile did not come; all have come
 *   'drawer'   a tool was opened (its name) or closed (null)
 */
export function createApp(element, status) {
  const events = createEvents();
  const latest = createLatest();
  const clicks = createClicks();
  const app = {
    events,
    on: events.on,
    status,
    clicks,
    world: null,      /* the descriptor of the world that is shown, with `address` and `chosenSeed` */
    worlds: null,     /* the server's list: {worlds, default}, when it has said it */
    style: USUAL_STYLE,
    time: null,       /* seconds, for styles that move; null is their beginning */
    extras: {},       /* what tools keep in the address: texts by name */
  };

  app.map = createMap(element, {
    moved() {
      app.writeAddress();
      events.emit('view');
    },
    aimed: () => events.emit('aim'),
    clicked: (place, event) => clicks.dispatch(place, event),
    broken: () => events.emit('broken'),
    mended: () => events.emit('mended'),
  });

  const showTiles = () => app.map.showTiles(tileTemplate(app.world, app.style, app.time));

  /* Shows a world in a style, or in the nearest to it that the world has. */
  app.show = (world, wantedStyle = app.style) => {
    app.world = world;
    const name = [wantedStyle, USUAL_STYLE].find((wanted) => findStyle(world, wanted));
    app.style = name ?? world.styles[0].name;
    showTiles();
    document.title = `${world.title} · Terrane`;
    app.writeAddress();
    events.emit('shown');
  };

  app.showTime = (time) => {
    app.time = time;
    app.setExtra('t', time === null ? null : String(time));
    if (app.world === null) return;
    showTiles();
    events.emit('shown');
  };

  /* The descriptor of a world, or null when another one was asked for meanwhile. */
  app.load = (name, seed) => latest((signal) => getWorld(name, seed, signal));

  /* Shows another world or seed, at the same place. Throws when it is refused. */
  app.choose = async (name, seed, style = app.style) => {
    const world = await app.load(name, seed);
    if (world !== null) app.show(world, style);
    return world !== null;
  };

  /* Shows a place, by default at the same zoom. */
  app.go = (place, zoom = app.map.view().zoom) => app.map.setView(place, zoom);

  /* Keeps a text in the address; null removes it. */
  app.setExtra = (name, text) => {
    const { [name]: before, ...extras } = app.extras;
    app.extras = text === null ? extras : { ...extras, [name]: text };
    app.writeAddress();
  };

  /* The permalink of what is shown. */
  app.address = () => formatPermalink({
    world: app.world.name, seed: app.world.chosenSeed, style: app.style, ...app.map.view(),
    extras: app.extras,
  });

  /* The permalink of another place, with further extras; they replace those of the page by name. */
  app.addressOf = (place, extras = {}) => formatPermalink({
    world: app.world.name, seed: app.world.chosenSeed, style: app.style,
    ...app.map.view(), ...place,
    extras: { ...app.extras, ...extras },
  });

  app.writeAddress = () => {
    if (app.world !== null) history.replaceState(null, '', app.address());
  };
  return app;
}
