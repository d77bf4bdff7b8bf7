/* Statistics of the view or of a measured area: shares of biomes, the distribution of heights and
 * other layers, the climate, and rivers. The server is asked when the drawer is opened and when a
 * button asks again, never while the map moves. The address keeps the area: ?stats=view, or the
 * corners as those of a measurement. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createLatest } from '../app/app.js';
import { loadStyle } from '../app/dom.js';
import { toLatLng, toPlace } from '../map/map.js';
import { crossesItself } from '../measure/geometry.js';
import { parsePath, pathText } from '../measure/path.js';
import { askArea, askRivers } from './ask.js';
import { createView } from './view.js';
import { tr } from '../texts/texts.js';

const EXTRA = 'stats';
const MOVED = tr('The map shows another part now. “This view” asks again.');
const CHANGED = tr('The map shows another world now. Ask again for its statistics.');
const CROSSED = tr('The border of the area crosses itself: move a point in “Measure”.');
const NO_AREA = tr('The address has no valid area. Its statistics are those of the view.');

/* The window of the map as a ring. */
function viewRing({ leaflet }) {
  const { x: right, y: bottom } = leaflet.getSize();
  const place = (x, y) => toPlace(leaflet.containerPointToLatLng([x, y]));
  return [place(0, 0), place(right, 0), place(right, bottom), place(0, bottom)];
}

export function create(app, element) {
  loadStyle('viewer/stats/stats.css').catch((error) => app.status.set('tool', error.message));
  const latest = createLatest();
  const outline = L.polygon([], { className: 'stats-outline', interactive: false });
  let measured = null; /* the corners of the area that was measured */
  let asked = null;    /* what the statistics are of: {kind, world, ring, box} */
  let open = false;

  const setChosen = (stale) => view.setChosen(
    { kind: asked?.kind, hasArea: measured !== null, stale });

  /* Rivers take longer than the rest, which is shown before they come. */
  const show = async (own, signal) => {
    const rivers = askRivers(own.world, own, signal).catch((error) => error);
    const found = await askArea(own.world, own, signal);
    if (signal.aborted) return false;
    view.show(own.world, own, found);
    view.say('');
    view.setBusy(false);
    const come = await rivers;
    if (!signal.aborted) view.showRivers(come);
    return true;
  };
  const ask = async (kind, ring) => {
    const { world } = app;
    const own = { kind, world, ring, box: kind === 'view' };
    asked = own;
    app.setExtra(EXTRA, kind === 'view' ? 'view' : pathText('area', ring));
    outline.setLatLngs(ring.map(toLatLng)).addTo(app.map.leaflet);
    setChosen(false);
    view.setBusy(true);
    if (!own.box && crossesItself(ring)) {
      view.clear();
      view.setBusy(false);
      view.say(CROSSED);
      return;
    }
    view.say(tr('Asking the server …'));
    try {
      const found = await latest((signal) => show(own, signal));
      if (found === null) return;
      if (app.world.fingerprint !== world.fingerprint) stale(CHANGED);
    } catch (error) {
      view.clear();
      view.say(error.message);
    }
    view.setBusy(false);
  };
  const askView = () => ask('view', viewRing(app.map));
  const stale = (text) => {
    if (!open || asked === null) return;
    view.say(text);
    setChosen(true);
  };
  const view = createView(element, {
    view: askView,
    area: () => ask('area', measured),
    measure: () => app.drawers.open('measure', { kind: 'area' }),
  });

  app.on('view', () => asked?.kind === 'view' && stale(MOVED));
  app.on('shown', () => {
    if (asked && app.world.fingerprint !== asked.world.fingerprint) stale(CHANGED);
  });

  const begin = (text) => {
    const wanted = text === 'view' || text === undefined ? null : parsePath(text);
    if (wanted?.kind === 'area' && wanted.points.length > 2) measured = wanted.points;
    if (text !== undefined && text !== 'view' && measured === null) app.status.tell(NO_AREA);
    if (measured !== null && text !== 'view' && text !== undefined) ask('area', measured);
    else askView();
  };
  app.on('extras', () => {
    const text = app.extras[EXTRA];
    if (!open || text === undefined || asked === null) return;
    if (text !== (asked.kind === 'view' ? 'view' : pathText('area', asked.ring))) begin(text);
  });
  return {
    /* `area`: the corners of a measured area. */
    opened(detail) {
      open = true;
      if (detail?.area) {
        measured = detail.area;
        ask('area', measured);
      } else if (asked === null || !app.map.leaflet.hasLayer(outline)) {
        begin(app.extras[EXTRA]);
      }
    },
    closed() {
      open = false;
      latest(async () => null);
      outline.remove();
      app.setExtra(EXTRA, null);
    },
  };
}
