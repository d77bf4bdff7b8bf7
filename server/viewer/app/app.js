/* What the page shows, and how that changes: world and seed, style, time and place. Tools read it
 * here, change it here, and hear of changes by events. Nothing here knows a tool. */

import { createMap } from '../map/map.js';
import { Unreachable, findStyle, getWorld, tileTemplate } from './api.js';
import { createEvents } from './events.js';
import { createHistory } from './history.js';
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
 *   'time'     while time plays: the map shows another moment; 'shown' follows when it ends
 *   'view'     the map was moved or zoomed
 *   'aim'      the place that the readout is about may be another
 *   'extras'   the address has other extras: it was edited, or Back was used
 *   'broken', 'mended'   a tile did not come; all have come
 *   'loaded'   all tiles in view have come or failed
 *   'refused'  a world or seed that was asked for: the server gave a reason, which the status shows
 *   'unanswered'  a world was asked for, and the server did not answer: the error
 *   'worlds'   the server's list of worlds is another
 *   'drawer'   a tool was opened (its name) or closed (null)
 *   'covers'   something else stands on the map, or stands elsewhere
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
    waiting: null,    /* takes the step again that met no server; null if there is none */
    names: null,      /* the names on the map, when they were wanted: at(place) */
    previewText: () => null, /* the text of the lab's world, if that is shown */
    left: {},         /* extras of the tool that the open drawer has taken the place of */
  };

  const steps = createHistory(() => (app.world === null ? null : app.address()));
  /* A step out of a drawer leads back to the tool that had its place before. */
  app.step = (change) => {
    const { extras } = app;
    if (Object.keys(app.left).length > 0) {
      app.extras = { ...app.left, ...extras };
      steps.write();
      app.extras = extras;
      app.left = {};
    }
    steps.step(change);
  };

  app.map = createMap(element, {
    moved() {
      steps.write();
      events.emit('view');
    },
    aimed: () => events.emit('aim'),
    clicked: (place, event) => clicks.dispatch(place, event),
    broken: () => events.emit('broken'),
    mended: () => events.emit('mended'),
    loaded: () => events.emit('loaded'),
  });

  const showTiles = () => app.map.showTiles(tileTemplate(app.world, app.style, app.time));

  /* Shows a world in a style, or in the nearest to it that the world has. */
  app.show = (world, wantedStyle = app.style) => {
    app.world = world;
    const name = [wantedStyle, USUAL_STYLE].find((wanted) => findStyle(world, wanted));
    app.style = name ?? world.styles[0].name;
    showTiles();
    document.title = `${world.title} · Terrane`;
    steps.write();
    events.emit('shown');
  };

  const setTime = (time) => {
    app.time = time;
    app.setExtra('t', time === null ? null : String(time));
  };

  app.showTime = (time) => {
    setTime(time);
    if (app.world === null) return;
    showTiles();
    events.emit('shown');
  };

  /* A moment on the way, whose tiles have been fetched: shown at once, and not in the address. */
  app.passTime = (time) => {
    app.time = time;
    app.map.showTiles(tileTemplate(app.world, app.style, time), { atOnce: true });
    events.emit('time');
  };

  /* The descriptor of a world, or null when another one was asked for meanwhile. */
  app.load = (name, seed) => latest((signal) => getWorld(name, seed, signal));

  /* Shows another world or seed, at the same place. Throws when it is refused. */
  app.choose = async (name, seed, style = app.style) => {
    const world = await app.load(name, seed);
    if (world !== null) app.show(world, style);
    return world !== null;
  };

  /* A step that waits for a world: shows it by `change(world)`, unless it is refused or another one
   * was asked for meanwhile. Gives whether it is shown. */
  const stepTo = async (name, seed, change) => {
    app.waiting = null;
    try {
      const world = await app.load(name, seed);
      if (world === null) return false;
      status.set('world', '');
      status.set('address', '');
      app.step(() => change(world));
      return true;
    } catch (error) {
      if (error instanceof Unreachable) {
        app.waiting = () => stepTo(name, seed, change);
        events.emit('unanswered', error);
      } else {
        status.set('world', error.message);
        events.emit('refused', { name, seed });
      }
      return false;
    }
  };

  /* Shows a world at a place, in a style and at a time (null for its beginning). */
  app.showAt = (world, { x, y, zoom, style, time }) => {
    if (world.fingerprint !== app.world?.fingerprint) app.map.clearTiles();
    app.map.setView({ x, y }, zoom);
    setTime(time);
    app.show(world, style);
  };

  /* Goes to the view of a world: the place, style and time that show what it is. */
  app.visit = (name, seed = null) => stepTo(name, seed, (world) =>
    app.showAt(world, { ...world.view, time: world.view.t || null }));

  /* Shows the same world with another seed (null: its own) at the same place. */
  app.reseed = (seed) => stepTo(app.world.name, seed, (world) => app.show(world));

  /* Shows the same world with another seed where its map begins, or at the same place if that is not
   * one of each seed's own. */
  app.roll = (seed) => stepTo(app.world.name, seed, (world) => {
    if (world.view.where === undefined) app.show(world);
    else app.showAt(world, { ...world.view, style: app.style, time: app.time });
  });

  /* Jumps to a place, by default at the same zoom. A step of the history: to follow something that
   * moves, use app.map.setView(place, zoom). */
  app.go = (place, zoom = app.map.view().zoom) => app.step(() => app.map.setView(place, zoom));

  /* Keeps a text in the address; null removes it. */
  app.setExtra = (name, text) => {
    const { [name]: before, ...extras } = app.extras;
    app.extras = text === null ? extras : { ...extras, [name]: text };
    steps.write();
  };

  /* The permalink of what is shown. */
  app.address = () => formatPermalink({
    world: app.world.name, seed: app.world.chosenSeed, style: app.style, ...app.map.view(),
    extras: app.extras,
  });

  /* The permalink of another place, with its zoom if it has one, and with further extras; they
   * replace those of the page by name. */
  app.addressOf = (place, extras = {}) => formatPermalink({
    world: app.world.name, seed: app.world.chosenSeed, style: app.style,
    ...app.map.view(), ...place, exact: true, extras: { ...app.extras, ...extras },
  });
  return app;
}
