/* The page: puts its parts together, follows the address bar, and recovers when the server does not
 * answer. */

import { Refusal, Unreachable, findStyle, getWorld, getWorlds, tileTemplate } from './app/api.js';
import { createApp } from './app/app.js';
import { copyText } from './app/copy.js';
import { createDrawers } from './app/drawers.js';
import { followReloads } from './app/follow.js';
import { parsePermalink } from './app/permalink.js';
import { isPreview, linkTo } from './app/link.js';
import { createRecovery } from './app/recovery.js';
import { createStatus } from './app/status.js';
import { createGestures } from './card/gestures.js';
import { createPins } from './card/pins.js';
import { startCompare } from './compare/start.js';
import { startNames } from './names/start.js';
import { startOverview } from './overview/start.js';
import { createLegend } from './panel/legend.js';
import { createPanel } from './panel/panel.js';
import { createReadout } from './panel/readout.js';
import { startOverlays } from './overlays/start.js';
import { startPrint } from './print/print.js';
import { startSearch } from './search/start.js';
import { createSeedStore } from './seeds/store.js';
import { tr, translateDocument } from './texts/texts.js';
import { tools } from './tools.js';
import { startWelcome } from './welcome/welcome.js';

const BEFORE_START = { x: 0, y: 0, zoom: 4 }; /* until the first world has come */
const TIME_MAX = 1e9; /* seconds */
/* What an address consists of. */
const PARTS = { world: tr('world'), seed: tr('seed'), style: tr('style'), zoom: tr('zoom'), x: 'x',
  y: 'y', time: tr('time') };
const AGAIN = tr('Trying again.');
const DROPPED = tr('The server does not have this world of the lab any more. “Copy the link” makes '
  + 'links that last, with the world in them.');

translateDocument();

const element = (id) => document.getElementById(id);
const status = createStatus(element('status'));
const app = createApp(element('map'), status);

const readout = createReadout(
  {
    height: element('height'),
    biome: element('biome'),
    swatch: element('swatch'),
    place: element('place'),
    detail: element('detail'),
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
  seed: (seed) => app.world && app.reseed(seed),
  dice: (seed) => app.world && app.roll(seed),
  style: (name) => app.world && app.show(app.world, name),
  open: (tool) => app.worlds && app.drawers.toggle(tool),
  async link() {
    try {
      const copied = await copyText(await linkTo(app));
      status.tell(copied ? tr('Link copied.')
        : tr('Not copied: the browser refused. The link is the address.'));
    } catch (error) {
      status.tell(tr('Not copied: {0}', error.message));
    }
  },
});

app.seeds = createSeedStore();
app.drawers = createDrawers(
  app,
  { toolbar: element('toolbar'), drawer: element('drawer'), stage: element('stage') },
  (message) => status.set('tool', message),
);
for (const tool of tools) app.drawers.add(tool);
app.pins = createPins(app);
createGestures(app);
startOverlays(app);
startCompare(app);
startNames(app, { field: element('names-field'), input: element('names') });

startSearch(app, { form: element('goto-form'), input: element('goto') });
startOverview(app, element('overview-switch'));
createLegend(app, element('legend'));
startPrint(app, element('legend'));
startWelcome(app);

/* The newest attempt to follow an edited address, until it has been followed; else null. */
let addressWaits = null;

const recovery = createRecovery(async () => {
  try {
    if (app.world === null) await start();
    else if (addressWaits) await followAddress();
    else await refresh();
    await app.waiting?.();
    if (addressWaits || app.waiting) return;
    status.set('server', '');
    showAim();
  } catch (error) {
    status.set('server', `${error.message} ${AGAIN}`);
    throw error;
  }
});

const showAim = () => readout.show(app.map.aim(), app.map.view().zoom, app.time);

app.on('aim', showAim);
const unanswered = (error) => {
  status.set('server', `${error.message} ${AGAIN}`);
  recovery.start();
};

app.on('unanswered', unanswered);
app.on('refused', ({ seed }) => panel.setRefused(seed));
app.on('drawer', panel.setDrawer);
app.on('view', () => status.set('goto', ''));
app.on('shown', () => {
  const { name, chosenSeed } = app.world;
  /* A preview of the lab is not listed: it is gone soon. */
  if (app.worlds.worlds.some((world) => world.name === name)) app.seeds.add(name, chosenSeed);
  status.set('goto', '');
  panel.setChosen(app.world, app.style);
  readout.setWorld(app.world, app.style);
  showAim();
  app.drawers.setShown('time', [...app.world.styles, ...app.world.layers].some(({ time }) => time));
});
app.on('time', showAim);
app.on('broken', () => {
  status.set('tiles', tr('Some tiles did not come. {0}', AGAIN));
  recovery.start();
});
/* Ends what waits for the server, but for an address that was edited meanwhile. */
const settle = () => {
  if (addressWaits || app.waiting) return;
  status.set('server', '');
  recovery.done();
};
app.on('mended', () => {
  status.set('tiles', '');
  settle();
});

/* Whether a preview that the server has dropped is there again. */
async function postAgain(name) {
  const { postKept } = await import('./lab/link.js');
  return postKept(name);
}

/* The descriptor of the world that a permalink names, or else of the default world. */
async function loadWanted(wanted, hints) {
  const name = wanted.world ?? app.worlds.default;
  if (app.worlds.worlds.some((listed) => listed.name === name) || isPreview(name)) {
    try {
      return await app.load(name, wanted.seed);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isDropped = isPreview(name) && error.status === 404;
      if (isDropped && await postAgain(name)) return app.load(name, wanted.seed);
      if (!isDropped) hints.push(error.message.replace(/\.?$/, '.'));
      else if (wanted.extras.lab === undefined) hints.push(DROPPED);
    }
  } else {
    hints.push(tr('There is no world “{0}”.', name));
  }
  return app.load(app.worlds.default, null);
}

function parseTime(text) {
  const time = /^-?\d{1,10}(\.\d{1,6})?$/.test(text ?? '') ? Number(text) : NaN;
  return Math.abs(time) <= TIME_MAX ? time : null;
}

/* What an address leaves out is that of the world's view; the view's time belongs to its place. */
function wantedView(wanted, view) {
  const { x, y, t } = wanted.x === null ? view : { ...wanted, t: 0 };
  return {
    x,
    y,
    zoom: wanted.zoom ?? view.zoom,
    style: wanted.style ?? view.style,
    time: parseTime(wanted.extras.t) ?? (t || null),
  };
}

/* Shows what the address bar says, and says what of it could not be used. */
async function followPermalink() {
  const wanted = parsePermalink(location.hash);
  const { problems, extras } = wanted;
  if (extras.t !== undefined && parseTime(extras.t) === null) problems.push('time');
  const hints = problems.length > 0 ? [tr('The address has no valid {0}.',
    problems.map((part) => PARTS[part]).join(', '))] : [];
  const chosen = await loadWanted(wanted, hints);
  if (chosen === null) return;
  if (wanted.style !== null && !findStyle(chosen, wanted.style)) {
    hints.push(tr('This world has no map “{0}”.', wanted.style));
  }
  if (hints.length > 0) hints.push(tr('The usual is shown instead.'));
  status.set('world', '');
  status.set('address', hints.join(' '));
  app.extras = wanted.extras;
  app.showAt(chosen, wantedView(wanted, chosen.view));
  app.events.emit('extras');
}

async function followAddress() {
  const attempt = {};
  addressWaits = attempt;
  app.waiting = null;
  await followPermalink();
  if (addressWaits !== attempt) return;
  addressWaits = null;
  settle();
}

/* After a failure: the server may have got a new world under the same name. */
async function refresh() {
  const before = app.world;
  const fresh = await getWorld(before.name, before.chosenSeed);
  if (app.world !== before) return;
  if (tileTemplate(fresh, app.style) !== tileTemplate(before, app.style)) {
    settle();
    app.show(fresh);
    status.tell(tr('The server has a new version of this world; the map shows it.'));
  } else if (!app.map.retryTiles()) {
    settle();
    showAim();
  }
}

/* After a reload of the server: its worlds, and the one that is shown if it is another now. */
async function reloaded() {
  app.worlds = await getWorlds();
  app.events.emit('worlds');
  panel.setChosen(app.world, app.style);
  const before = app.world;
  const fresh = await getWorld(before.name, before.chosenSeed);
  const changed = JSON.stringify(fresh) !== JSON.stringify(before);
  if (app.world === before && changed) app.show(fresh);
}

async function start() {
  app.worlds = await getWorlds();
  await followPermalink();
  if (app.worlds.page.events) followReloads(app, { element: element('reload'), reloaded });
}

/* A page of a place, /w/WORLD?x=…, has the address of the map page from now on. What is behind the
 * # is more than the page knows: tools keep their texts there. */
const given = document.querySelector('meta[name="terrane-place"]');
if (given !== null) history.replaceState(null, '', location.hash || given.content);

app.map.setView(BEFORE_START, BEFORE_START.zoom);
addEventListener('hashchange', () => {
  if (app.worlds === null) return;
  followAddress().catch((error) => {
    if (error instanceof Unreachable) unanswered(error);
    else status.set('address', error.message);
  });
});
start().catch(unanswered);
