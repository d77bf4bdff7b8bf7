/* Taking away: a rectangle of the map as a picture, its heights as a GeoTIFF, or a model of it; and
 * the lines for a shell that make the same, and archives of its tiles. */

import { createLatest } from '../app/app.js';
import { loadStyle } from '../app/dom.js';
import { fileName, nameOfView, saveFile } from '../app/files.js';
import { bytesText } from '../app/units.js';
import { FORMATS, centreOf, choicesOf, complaintAbout, gridOf, oppositeOf, rectangleOf,
  squareOf } from './area.js';
import { curlFile, curlTiles, curlWorld, exportGround, exportLandscape,
  exportTiles, renderPicture } from './commands.js';
import { createFrame } from './frame.js';
import { chunkAddress, chunkBytes, getChunk } from './ground.js';
import { hasWebp, makePicture } from './picture.js';
import { freeView, wholeView } from './seen.js';
import { extentText, pictureBytes, sampleTiles, sizesOf } from './sizes.js';
import { createView } from './view.js';
import { tr } from '../texts/texts.js';

const overlaps = (a, b) =>
  a.west < b.east && b.west < a.east && a.north < b.south && b.north < a.south;

/* Where the server has no WebP, the lines make PNG. */
function pictureCommands(app, order) {
  const extension = hasWebp(app) ? order.format : 'png';
  return [['terrane render', renderPicture(app, order.grid(), order.name(extension))],
    [tr('curl, tile by tile'), curlTiles(app, order.grid(), extension)]];
}

function groundCommands(app, order) {
  const [grid, form, name] = [order.grid(), order.form(), order.name()];
  return [['curl', curlFile(order.address(), name)],
    [form.format === 'tif' ? tr('terrane export, heights') : tr('terrane export, a model'),
      exportGround(app, grid, form, name)],
    ...exportLandscape(app, grid)];
}

/* What is to be taken: everything that the file depends on. */
function createOrder(app) {
  const order = { format: 'png', area: null, zoom: 0, options: { crs: 'local', colours: true } };
  order.settings = () => FORMATS[order.format];
  order.grid = () => gridOf(order.area, order.zoom, order.settings().square);
  order.isChunk = () => order.settings().square;
  order.form = () => ({ format: order.format, crs: order.options.crs,
    colours: order.options.colours ? app.style : '' });
  order.address = () => chunkAddress(app, order.grid(), order.form());
  order.name = (extension = order.format) => {
    const { zoom } = order;
    const shown = order.format === 'tif' ? [] : [app.style];
    const place = nameOfView(app, centreOf(order.grid()), zoom);
    return fileName([...place, ...shown, `z${zoom}`], extension);
  };
  /* About how many bytes the file will have; null while the mean of its tiles is not known. */
  order.bytes = (mean) => (order.isChunk() ? chunkBytes(order.grid(), order.form())
    : mean && pictureBytes(order.grid(), order.format, mean));
  order.make = (watch) => (order.isChunk() ? getChunk(order.address(), order.bytes(), watch)
    : makePicture(app, order.grid(), order.settings().type, watch));
  order.sizes = (mean) => sizesOf(order.area, order.zoom, mean, order.form().colours);
  order.commands = () => [
    ...curlWorld(app),
    ...(order.isChunk() ? groundCommands(app, order)
      : pictureCommands(app, order)),
    ...exportTiles(app, order.grid(), order.format),
  ];
  return order;
}

function sizeText(order, mean) {
  const [size, bytes] = [extentText(order.grid(), order.isChunk()), order.bytes(mean)];
  return bytes === null ? `${size}.` : tr('{0}, about {1}.', size, bytesText(bytes));
}

export function create(app, element) {
  const styled = loadStyle('viewer/take/take.css')
    .catch((error) => app.status.set('tool', error.message));
  const order = createOrder(app);
  const latest = createLatest();
  const forgetEstimate = () => latest(() => null);
  let open = false;
  let making = null;
  let typed = null; /* the corner {id, place} that was typed last: the next one is opposite to it */
  let reported = false; /* whether the summary tells of a file that is made */

  /* Of the zooms that fit, the one nearest to that of the map, or to the one that was chosen. */
  const update = (wantedZoom = order.zoom) => {
    if (order.isChunk()) order.area = squareOf(order.area);
    const choices = choicesOf(order.area, order.settings());
    const complaint = complaintAbout(order.area, order.settings());
    const fitting = choices.filter(({ fits }) => fits).map(({ grid }) => grid.zoom);
    order.zoom = Math.min(wantedZoom, fitting.at(-1) ?? 0);
    order.options = view.options();
    reported = false;
    frame.show(order.area);
    view.show(order.format, order.area, choices, order.zoom);
    view.setReady(complaint === '');
    if (complaint === '') describe();
    else {
      forgetEstimate();
      view.setSizes([]);
      view.setCommands([]);
      view.say(complaint);
    }
  };
  async function describe() {
    const show = (mean) => {
      if (!reported) view.say(sizeText(order, mean));
      view.setSizes(order.sizes(mean), order.format);
    };
    view.setCommands(order.commands());
    show(null);
    try {
      const mean = await latest((signal) => sampleTiles(app, order.grid(), signal));
      if (mean !== null) show(mean);
    } catch (error) {
      if (!reported) view.say(error.message);
    }
  }
  async function save() {
    const name = order.name();
    making = new AbortController();
    reported = true;
    const { signal } = making;
    view.setProgress(0);
    view.say(tr('Making {0} …', name));
    try {
      const file = await order.make({ signal, progress: view.setProgress });
      signal.throwIfAborted(); /* while the picture was encoded */
      saveFile(name, file);
      view.say(tr('{0} is saved.', name));
    } catch (error) {
      view.say(signal.aborted ? tr('Cancelled.') : error.message);
    } finally {
      making = null;
      view.setProgress(null);
    }
  }

  const view = createView(element, {
    format(name) {
      order.format = name;
      update(app.map.view().zoom);
    },
    corner(id, place) {
      const { west, north, east, south } = order.area;
      const shown = id === 'nw' ? { x: east, y: south } : { x: west, y: north };
      const other = typed && typed.id !== id ? typed.place : shown;
      typed = { id, place };
      order.area = rectangleOf(place, order.isChunk() ? oppositeOf(place, other) : other);
      update();
    },
    whole() {
      typed = null;
      order.area = wholeView(app.map.leaflet);
      update(app.map.view().zoom);
    },
    zoom: update,
    option: () => update(),
    save,
    cancel: () => making?.abort(),
  });
  const frame = createFrame(app.map.leaflet, order.isChunk, (area, done) => {
    typed = null;
    order.area = area;
    if (done) update();
    else frame.show(area);
  });
  view.setProgress(null);
  app.on('shown', () => open && !making && update());

  return {
    async opened() {
      open = true;
      if (order.area === null || !overlaps(order.area, wholeView(app.map.leaflet))) {
        order.area = wholeView(app.map.leaflet);
        update(app.map.view().zoom);
        const { area } = order;
        await styled; /* what is free depends on the height of the drawer */
        if (order.area === area) order.area = freeView(app.map.leaflet);
      }
      update();
      frame.setShown(open);
    },
    closed() {
      open = false;
      making?.abort();
      forgetEstimate();
      frame.setShown(false);
    },
  };
}
