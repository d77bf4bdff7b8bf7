/* A poster: what a frame on the map shows, as a sheet of paper with title, legend, scale bar,
 * compass, names, pins and a numbered grid, to save as a picture or to print. The frame lies in the
 * middle of what the window shows of the map and has the shape that the paper leaves for it. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { findStyle } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { loadStyle } from '../app/dom.js';
import { fileName, nameOfView, saveFile } from '../app/files.js';
import { ZOOM_MAX, placeText, readable } from '../app/place.js';
import { toLatLng } from '../map/map.js';
import { legendParts } from '../panel/parts.js';
import { centreOf } from '../take/area.js';
import { freeView, wholeView } from '../take/seen.js';
import { tr } from '../texts/texts.js';
import { cellSizes, cellsOf } from './cells.js';
import { labelsOf } from './names.js';
import { areaAt, fitted, isWithin, paperSize, pictureSize, scaleOf } from './paper.js';
import { mapPicture, pngOf } from './picture.js';
import { printSheet, removeSheet } from './print.js';
import { boxesOf, sheetOf } from './sheet.js';
import { createView } from './view.js';

const PER_INCH = 150; /* pixels, of the map and of pictures of the sheet */
const PICTURE_MOST = 4096; /* pixels a side, by the server */
const FREE_LEAST = 0.3; /* of the width that a frame can have in the window */

/* What the window shows of the map beside the drawer; all of it where the drawer leaves little. */
function viewOf({ leaflet }, shape) {
  const [free, whole] = [freeView(leaflet), wholeView(leaflet)];
  const [least, most] = [free, whole].map((view) => fitted(view, shape))
    .map(({ west, east }) => east - west);
  return least < FREE_LEAST * most ? whole : free;
}

/* What the sheet shows: the paper, the parts of its legend and the rectangle of the map; `view` is
 * that of the window. */
function planOf(app, order) {
  const paper = paperSize(order.paper, order.isLandscape);
  const partsAt = (area, map) => (order.legend ? legendParts(app.world, app.style,
    (area.east - area.west) / pictureSize(map, paper, PER_INCH).width) : []);
  /* The legend depends on the scale, which depends a little on the room that the legend leaves. */
  const roughly = boxesOf(paper, []).map;
  const view = viewOf(app.map, roughly);
  const areaOf = (box) => (order.scale > 0 ? areaAt(order.scale, centreOf(view), box, paper)
    : fitted(view, box));
  const parts = partsAt(areaOf(roughly), roughly);
  const { map } = boxesOf(paper, parts);
  return { paper, parts, map, view, area: areaOf(map) };
}

/* The zoom and the place in the middle of the map at which the window shows all of a plan's
 * rectangle, as large as can be, about the same middle as now. */
function seenWhole({ area, view }, shown) {
  const fits = Math.min((view.east - view.west) / (area.east - area.west),
    (view.south - view.north) / (area.south - area.north));
  const wanted = shown.zoom + Math.floor(Math.log2(fits));
  const zoom = Math.max(0, Math.min(ZOOM_MAX, wanted));
  const factor = 2 ** (shown.zoom - zoom);
  const { x, y } = centreOf(view);
  return { x: x + (shown.x - x) * factor, y: y + (shown.y - y) * factor, zoom };
}

function subtitleOf({ world, style }, { area, map, paper }) {
  const scale = scaleOf((area.east - area.west) / map.width, paper);
  return [world.title || world.name, findStyle(world, style).title || style,
    tr('seed {0}', readable(world.chosenSeed ?? world.seed)),
    `1 : ${readable(String(scale))}`, placeText(centreOf(area))].join(' · ');
}

function createFrame(map) {
  const box = L.rectangle([[0, 0], [0, 0]], { className: 'poster-frame', interactive: false });
  return {
    show({ west, north, east, south }) {
      box.setBounds([toLatLng({ x: west, y: north }), toLatLng({ x: east, y: south })]).addTo(map);
    },
    hide: () => box.remove(),
  };
}

/* The sheet as a drawing; it asks the server for the map and its names. */
async function draw(app, order, plan, signal) {
  const { paper, area, map, parts } = plan;
  const perUnit = (area.east - area.west) / map.width;
  const [picture, labels] = await Promise.all([
    mapPicture(app, area, pictureSize(map, paper, PER_INCH, PICTURE_MOST), signal),
    order.names ? labelsOf(app.world, area, perUnit, signal) : [],
  ]);
  const pins = [...app.pins.list(), app.pins.shared()].filter(Boolean);
  return sheetOf(paper, {
    title: order.title || app.world.title || app.world.name, subtitle: subtitleOf(app, plan),
    address: ['Terrane', app.world.attribution].filter(Boolean).join(' · '),
    parts, area, picture, labels, pins: order.pins ? pins : [], cellSize: order.size,
    cells: order.grid === '' ? [] : cellsOf(order.grid, order.size, area),
  });
}

export function create(app, element) {
  loadStyle('viewer/poster/poster.css').catch((error) => app.status.set('tool', error.message));
  const latest = createLatest();
  const frame = createFrame(app.map.leaflet);
  let open = false;

  const update = () => {
    if (!open || app.world === null || app.map.isHidden()) return;
    const { area, view: seen } = planOf(app, view.order());
    view.setTitle(app.world.title || app.world.name);
    view.setSizes(cellSizes(area));
    view.setHint(isWithin(area, seen));
    frame.show(area);
  };
  /* Another scale may need another zoom for its frame to be seen. */
  const rescale = () => {
    const order = view.order();
    if (order.scale > 0) {
      const { zoom, ...place } = seenWhole(planOf(app, order), app.map.view());
      app.map.setView(place, zoom);
    }
    update();
  };
  /* Draws the sheet and hands it to `use(drawing, plan)`, which says what was done. */
  const make = async (use) => {
    const order = view.order();
    const plan = planOf(app, order);
    view.setMaking(true);
    view.say(tr('The server makes the map …'));
    try {
      const drawing = await latest((signal) => draw(app, order, plan, signal));
      view.say(drawing === null ? tr('Cancelled.') : await use(drawing, plan));
    } catch (error) {
      view.say(error.message);
    } finally {
      view.setMaking(false);
    }
  };
  const save = async (drawing, { paper, area }) => {
    const name = fileName([...nameOfView(app, centreOf(area), app.map.view().zoom), app.style,
      view.order().paper], 'png');
    saveFile(name, await pngOf(drawing, pictureSize(paper, paper, PER_INCH), PER_INCH));
    return tr('{0} is saved.', name);
  };
  const print = async (drawing, { paper }) => {
    printSheet(drawing, paper);
    return tr('In the dialog, the printer or “Save as PDF” gets the sheet, without margins.');
  };

  const view = createView(element, {
    change: update,
    rescale,
    save: () => make(save),
    print: () => make(print),
    cancel: () => latest(() => null),
  });
  view.setWay(innerWidth > innerHeight);
  app.on('view', update);
  app.on('shown', update);

  return {
    opened() {
      open = true;
      update();
    },
    closed() {
      open = false;
      latest(() => null);
      removeSheet();
      frame.hide();
    },
  };
}
