/* The page: puts its parts together, follows the address bar, and recovers when the server does not
 * answer. */

import { Refusal, findStyle, getWorld, getWorlds, tileTemplate } from './app/api.js';
import { createApp } from './app/app.js';
import { createDrawers } from './app/drawers.js';
import { parsePermalink } from './app/permalink.js';
import { createRecovery } from './app/recovery.js';
import { createStatus } from './app/status.js';
import { createGestures } from './card/gestures.js';
import { createPins } from './card/pins.js';
import { createPanel } from './panel/panel.js';
import { createReadout } from './panel/readout.js';
import { tools } from './tools.js';

const START = { x: 0, y: 0, zoom: 4 };
const AGAIN = 'Trying again.';

const element = (id) => document.getElementById(id);
const status = createStatus(element('status'));
const app = createApp(element('map'), status);

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
  seed: (seed) => app.world && choose(app.world.name, seed),
  style: (name) => app.world && app.show(app.world, name),
  place(place) {
    status.set('goto', place ? '' : 'A place is x, y in metres (1200, −350), each at most 2⁴⁰.');
    if (place !== null) app.go(place);
  },
});

app.drawers = createDrawers(
  app,
  { toolbar: element('toolbar'), drawer: element('drawer'), stage: element('stage') },
  (message) => status.set('tool', message),
);
for (const tool of tools) app.drawers.add(tool);
app.pins = createPins(app);
createGestures(app);

const recovery = createRecovery(async () => {
  try {
    await (app.world === null ? start() : refresh());
    status.set('server', '');
  } catch (error) {
    status.set('server', `${error.message} ${AGAIN}`);
    throw error;
  }
});

const showAim = () => readout.show(app.map.aim(), app.map.view().zoom, app.time);

app.on('aim', showAim);
app.on('shown', () => {
  panel.setChosen(app.world, app.style);
  readout.setWorld(app.world, app.style);
  showAim();
});
app.on('broken', () => {
  status.set('tiles', `Some tiles did not come. ${AGAIN}`);
  recovery.start();
});
app.on('mended', () => {
  status.set('tiles', '');
  status.set('server', '');
  recovery.done();
});

/* What the panel asked for. */
async function choose(name, seed) {
  try {
    if (await app.choose(name, seed)) status.set('world', '');
  } catch (error) {
    status.set('world', error.message);
    panel.setRefused(app.world, seed);
  }
}

/* The descriptor of the world that a permalink names, or else of the default world. */
async function loadWanted(wanted, hints) {
  const name = wanted.world ?? app.worlds.default;
  if (app.worlds.worlds.some((listed) => listed.name === name)) {
    try {
      return await app.load(name, wanted.seed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      hints.push(error.message);
    }
  } else {
    hints.push(`There is no world “${name}”.`);
  }
  return app.load(app.worlds.default, null);
}

function parseTime(text) {
  return /^-?\d{1,9}(\.\d{1,6})?$/.test(text ?? '') ? Number(text) : null;
}

/* Shows what the address bar says, and says what of it could not be used. */
async function followPermalink() {
  const wanted = parsePermalink(location.hash);
  const { problems } = wanted;
  const hints = problems.length > 0 ? [`The address has no valid ${problems.join(', ')}.`] : [];
  const chosen = await loadWanted(wanted, hints);
  if (chosen === null) return;
  if (wanted.style !== null && !findStyle(chosen, wanted.style)) {
    hints.push(`This world has no map “${wanted.style}”.`);
  }
  if (hints.length > 0) hints.push('The usual is shown instead.');
  status.set('address', hints.join(' '));
  const { x, y } = wanted.x === null ? START : wanted;
  app.extras = wanted.extras;
  app.time = parseTime(wanted.extras.t);
  app.map.setView({ x, y }, wanted.zoom ?? START.zoom);
  app.show(chosen, wanted.style ?? undefined);
  app.events.emit('extras');
}

/* After a failure: the server may have got a new world under the same name. */
async function refresh() {
  const before = app.world;
  const fresh = await getWorld(before.name, before.chosenSeed);
  if (app.world !== before) return;
  if (tileTemplate(fresh, app.style) !== tileTemplate(before, app.style)) {
    status.set('world', 'The server has a new version of this world; the map shows it.');
    recovery.done();
    app.show(fresh);
  } else if (!app.map.retryTiles()) {
    recovery.done();
    showAim();
  }
}

async function start() {
  app.worlds = await getWorlds();
  panel.setWorlds(app.worlds.worlds);
  await followPermalink();
}

app.map.setView(START, START.zoom);
addEventListener('hashchange', () => {
  if (app.worlds === null) return;
  followPermalink().catch((error) => status.set('address', error.message));
});
start().catch((error) => {
  status.set('server', `${error.message} ${AGAIN}`);
  recovery.start();
});
