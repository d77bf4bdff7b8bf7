/* The page: which world, style and place are shown, and how that changes. */

import { Refusal, getWorld, getWorlds, tileTemplate } from './api.js';
import { createMap } from './map.js';
import { createPanel } from './panel.js';
import { formatPermalink, parsePermalink } from './permalink.js';
import { createReadout } from './readout.js';
import { createRecovery } from './recovery.js';
import { createStatus } from './status.js';

const START = { x: 0, y: 0, zoom: 4 };
const START_STYLE = 'relief';
const AGAIN = 'Trying again.';

const element = (id) => document.getElementById(id);
const status = createStatus(element('status'));

let worlds = null;       /* the server's list: {worlds, default}, when it has said it */
let world = null;        /* the descriptor of the world that is shown */
let style = START_STYLE;
let loading = null;      /* aborts the descriptor that is under way */

const map = createMap(element('map'), {
  moved: writePermalink,
  aimed: showAim,
  broken() {
    status.set('tiles', `Some tiles did not come. ${AGAIN}`);
    recovery.start();
  },
  mended() {
    status.set('tiles', '');
    status.set('server', '');
    recovery.done();
  },
});

const readout = createReadout(
  {
    height: element('height'),
    biome: element('biome'),
    swatch: element('swatch'),
    place: element('place'),
    layerName: element('layer-name'),
    layerValue: element('layer-value'),
  },
  (error) => {
    if (error === null) {
      status.set('place', '');
    } else if (error instanceof Refusal && error.status !== 410) {
      status.set('place', error.message);
    } else {
      recovery.start();
    }
  },
);

const panel = createPanel({
  world: (name) => choose(name, null),
  seed: (seed) => world && choose(world.name, seed),
  style: (name) => world && show(world, name),
  place(place) {
    status.set('goto', place ? '' : 'A place is x, y in metres (1200, −350), each at most 2⁴⁰.');
    if (place !== null) map.setView(place, map.view().zoom);
  },
});

const recovery = createRecovery(async () => {
  try {
    await (world === null ? start() : refresh());
    status.set('server', '');
  } catch (error) {
    status.set('server', `${error.message} ${AGAIN}`);
    throw error;
  }
});

function writePermalink() {
  if (world === null) return;
  const view = { world: world.name, seed: world.chosenSeed, style, ...map.view() };
  history.replaceState(null, '', formatPermalink(view));
}

function showAim() {
  readout.show(map.aim(), map.view().zoom);
}

function hasStyle(descriptor, name) {
  return [...descriptor.styles, ...descriptor.layers].some((entry) => entry.name === name);
}

/* Shows a world in a style, or in the nearest to it that the world has. */
function show(newWorld, wantedStyle) {
  world = newWorld;
  style = [wantedStyle, START_STYLE].find((name) => hasStyle(world, name)) ?? world.styles[0].name;
  panel.setChosen(world, style);
  readout.setWorld(world, style);
  map.showTiles(tileTemplate(world, style));
  document.title = `${world.title} · Terrane`;
  writePermalink();
  showAim();
}

/* The descriptor; a newer wish takes back an older one, which then gives null. */
async function load(name, seed) {
  loading?.abort();
  loading = new AbortController();
  const { signal } = loading;
  try {
    const descriptor = await getWorld(name, seed, signal);
    return signal.aborted ? null : descriptor;
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}

/* What the panel asked for. */
async function choose(name, seed) {
  try {
    const chosen = await load(name, seed);
    if (chosen === null) return;
    status.set('world', '');
    show(chosen, style);
  } catch (error) {
    status.set('world', error.message);
    panel.setRefused(world, seed);
  }
}

/* The descriptor of the world that a permalink names, or else of the default world. */
async function loadWanted(wanted, hints) {
  const name = wanted.world ?? worlds.default;
  if (worlds.worlds.some((listed) => listed.name === name)) {
    try {
      return await load(name, wanted.seed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      hints.push(error.message);
    }
  } else {
    hints.push(`There is no world “${name}”.`);
  }
  return load(worlds.default, null);
}

/* Shows what the address bar says, and says what of it could not be used. */
async function followPermalink() {
  const wanted = parsePermalink(location.hash);
  const { problems } = wanted;
  const hints = problems.length > 0 ? [`The address has no valid ${problems.join(', ')}.`] : [];
  const chosen = await loadWanted(wanted, hints);
  if (chosen === null) return;
  if (wanted.style !== null && !hasStyle(chosen, wanted.style)) {
    hints.push(`This world has no map “${wanted.style}”.`);
  }
  if (hints.length > 0) hints.push('The usual is shown instead.');
  status.set('address', hints.join(' '));
  const { x, y } = wanted.x === null ? START : wanted;
  map.setView({ x, y }, wanted.zoom ?? START.zoom);
  show(chosen, wanted.style ?? START_STYLE);
}

/* After a failure: the server may have got a new world under the same name. */
async function refresh() {
  const before = world;
  const fresh = await getWorld(world.name, world.chosenSeed);
  if (world !== before) return;
  if (tileTemplate(fresh, style) !== tileTemplate(world, style)) {
    status.set('world', 'The server has a new version of this world; the map shows it.');
    recovery.done();
    show(fresh, style);
  } else if (!map.retryTiles()) {
    recovery.done();
    showAim();
  }
}

async function start() {
  worlds = await getWorlds();
  panel.setWorlds(worlds.worlds);
  await followPermalink();
}

map.setView(START, START.zoom);
addEventListener('hashchange', () => {
  if (worlds === null) return;
  followPermalink().catch((error) => status.set('address', error.message));
});
start().catch((error) => {
  status.set('server', `${error.message} ${AGAIN}`);
  recovery.start();
});
