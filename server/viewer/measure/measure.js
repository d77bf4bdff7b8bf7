/* Measuring: a line with its lengths, ascent and profile, or an area with its heights. Clicks on
 * the map add points; the address keeps them. */

import { createLatest } from '../app/app.js';
import { loadStyle } from '../app/dom.js';
import { fileName, nameOfView, saveFile } from '../app/files.js';
import { PLACE_HINT, coordinateText, metresPerPixel, parsePlace } from '../app/place.js';
import { areaText, lengthText } from '../app/units.js';
import { chartFile } from './chart.js';
import { cornerTable, feature, profileTable } from './files.js';
import { areaOf, crossesItself, distance, legs, sum } from './geometry.js';
import { getAreaHeights, getProfile } from './ground.js';
import { createKeys } from './keys.js';
import { POINTS_MAX, createPath, parsePath, pathText } from './path.js';
import { CROSSED, CROSSED_SHORT } from './results.js';
import { createSketch } from './sketch.js';
import { HINT, createView } from './view.js';
import { tr } from '../texts/texts.js';

const EXTRA = 'measure'; /* in the address */

/* Metres from the start at which a line turns. */
function turns(points) {
  let along = 0;
  return legs(points).slice(0, -1).map((leg) => (along += leg));
}

/* What is measured, and what the server says of it: a profile, or the heights of an area. */
function createMeasurement(app, show) {
  const latest = createLatest();
  const state = { kind: 'line', profile: null, heights: null };

  const sizeOf = (points) => (state.kind === 'area' ? areaOf(points) : sum(legs(points)));
  const ask = async (points, signal) => {
    const get = state.kind === 'area' ? getAreaHeights : getProfile;
    return sizeOf(points) > 0 ? get(app.world, points, signal) : null;
  };
  /* Asks about the points; an answer about others is dropped. */
  state.measure = async (points) => {
    state.profile = state.heights = null;
    show.waiting(sizeOf(points) > 0);
    try {
      const found = await latest((signal) => ask(points, signal));
      if (found === null) return;
      state[state.kind === 'line' ? 'profile' : 'heights'] = found;
      show.measured();
    } catch (error) {
      show.failed(error.message);
    }
  };
  return state;
}

/* The files of a measurement, by format. */
function fileOf(format, world, points, { kind, profile, heights }) {
  const closed = kind === 'area';
  if (format === 'svg') return chartFile(profile, turns(points));
  if (format === 'csv') return closed ? cornerTable(points) : profileTable(profile);
  const facts = closed ? heights : { ascent: profile.ascent, descent: profile.descent };
  return feature(world, points, closed, facts);
}

export function create(app, element) {
  loadStyle('viewer/measure/measure.css').catch((error) => app.status.set('tool', error.message));
  let releaseClicks = null;
  const zoom = () => app.map.view().zoom;
  const points = () => path.points();
  const closed = () => state.kind === 'area';
  const crossed = () => closed() && crossesItself(points());

  const changed = () => {
    const text = points().length > 0 ? pathText(state.kind, points()) : null;
    if ((app.extras[EXTRA] ?? null) !== text) app.setExtra(EXTRA, text);
    showPoints(points());
    state.measure(points());
  };
  const path = createPath(changed);
  const state = createMeasurement(app, {
    waiting(measurable) {
      sketch.setCursor(null);
      view.say(measurable ? tr('Measuring the ground…') : crossed() ? CROSSED : HINT);
    },
    measured() {
      if (closed()) {
        view.showHeights({ area: areaOf(points()), perimeter: sum(legs(points(), true)),
          crossed: crossed() }, state.heights);
      }
      else view.showProfile(state.profile, turns(points()));
    },
    failed: (message) => view.say(message),
  });

  /* As fine as the map can point, so that the address says it exactly. */
  const round = (metres) => Number(coordinateText(metres, zoom()));
  const rounded = ({ x, y }) => ({ x: round(x), y: round(y) });
  const insert = (index, place) => {
    const done = path.insert(index, rounded(place));
    if (!done) view.say(tr('A measurement has at most {0} points.', POINTS_MAX));
    return done;
  };
  /* A double click is one point. */
  const click = (place) => {
    const last = points().at(-1);
    if (last && distance(last, place) < 3 * metresPerPixel(zoom())) return;
    insert(points().length, place);
  };
  const begin = (kind, start) => {
    state.kind = kind;
    path.restart(start);
  };

  const view = createView(element, {
    kind: (kind) => {
      state.kind = kind;
      changed();
    },
    undo: path.undo,
    clear: () => path.replace([]),
    stats: () => app.drawers.open('stats', { area: points() }),
    remove: path.remove,
    typed(text) {
      const place = text.trim() === '' ? app.map.view() : parsePlace(text);
      if (place === null) view.say(PLACE_HINT);
      return place !== null && insert(points().length, place);
    },
    pointed: (index) => sketch.setCursor(index === null ? null : state.profile.places[index]),
    save(format) {
      if (state.profile === null && state.heights === null) return;
      const name = fileName([...nameOfView(app, points()[0], zoom()), state.kind], format);
      saveFile(name, fileOf(format, app.world, points(), state));
    },
  });
  const sketch = createSketch(app.map.leaflet, {
    moving: (index, place) => showPoints(points().with(index, place)),
    moved: (index, place) => path.move(index, rounded(place)),
    removed: path.remove,
    inserted: insert,
    pointed: (metres) => state.profile && view.chart.point(metres),
  });
  const keys = createKeys({
    undo: path.undo,
    removeLast: () => points().length > 0 && path.remove(points().length - 1),
  });

  /* What is known without the server; `shown` differs from the points during a drag. */
  function showPoints(shown) {
    const lengths = legs(shown, closed());
    const [total, area] = [sum(lengths), areaOf(shown)];
    sketch.show(shown, closed());
    const isCrossed = closed() && crossesItself(shown);
    sketch.setLabel(total === 0 ? '' : isCrossed ? CROSSED_SHORT : closed() ? areaText(area)
      : lengthText(total));
    view.showPoints({ kind: state.kind, points: shown, lengths, total, area, crossed: isCrossed,
      canUndo: path.canUndo(), zoom: zoom() });
  }

  const followAddress = () => {
    const wanted = parsePath(app.extras[EXTRA]);
    if (wanted === null || app.extras[EXTRA] === pathText(state.kind, points())) changed();
    else begin(wanted.kind, wanted.points);
  };
  app.on('extras', () => releaseClicks && followAddress());
  app.on('shown', () => releaseClicks && state.measure(points()));

  return {
    opened(detail) {
      if (releaseClicks === null) {
        releaseClicks = app.clicks.take(click);
        app.map.leaflet.doubleClickZoom.disable();
        keys.listen();
        sketch.setShown(true);
      }
      if (detail?.from) begin('line', [rounded(detail.from)]);
      else if (detail?.kind) begin(detail.kind, []);
      else followAddress();
    },
    closed() {
      releaseClicks?.();
      releaseClicks = null;
      app.map.leaflet.doubleClickZoom.enable();
      keys.ignore();
      sketch.setShown(false);
      app.setExtra(EXTRA, null);
    },
  };
}
