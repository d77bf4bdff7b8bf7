/* Square grids over the map: lines, and in each cell its index. One canvas covers the view and is
 * drawn anew when that moves; a grid too fine for the zoom shows every second, fourth … line. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { toPlace } from '../map/map.js';

const LINE_PX = 28; /* the least distance of lines */
const FONT = '600 11px system-ui, sans-serif';
const HALO = 'rgb(0 0 0 / 40%)';

/* The cells of chunks that are so many metres wide, as the server counts them. */
export const chunkCells = (side) => () => ({
  side, origin: 0, label: (x, y) => `${x}, ${y}`,
});

/* The tiles of the zoom that is shown. */
export const tileCells = (zoom) => {
  const z = Math.round(zoom);
  return { side: 2 ** (25 - z), origin: -(2 ** 24), label: (x, y) => `${z}/${x}/${y}` };
};

/* The index of the cell that a place is in, as text. */
export function cellAt(cells, zoom, { x, y }) {
  const { side, origin, label } = cells(zoom);
  const index = (metres) => Math.floor((metres - origin) / side);
  return label(index(x), index(y)).replaceAll('-', '\u2212');
}

/* Lines with their indices from `start` on, in pixels: [{at, index}]. `step` metres lie between. */
function linesOf({ start, length, scale, origin, step, every }) {
  const lines = [];
  const first = Math.floor((start - origin) / step);
  for (let i = first; ; i += 1) {
    const at = (origin + i * step - start) * scale;
    if (at > length) return lines;
    lines.push({ at, index: i * every });
  }
}

function strokeLines(context, columns, rows, { x: width, y: height }, look) {
  context.beginPath();
  for (const { at } of columns) {
    context.moveTo(Math.round(at) + 0.5, 0);
    context.lineTo(Math.round(at) + 0.5, height);
  }
  for (const { at } of rows) {
    context.moveTo(0, Math.round(at) + 0.5);
    context.lineTo(width, Math.round(at) + 0.5);
  }
  for (const [style, lineWidth] of [[HALO, look.width + 2], [look.colour, look.width]]) {
    context.strokeStyle = style;
    context.lineWidth = lineWidth;
    context.stroke();
  }
}

/* Every so many lines have labels that neither of them overlaps another one: a power of two. */
function labelledEvery(context, columns, rows, { label, cell, look: { drop } }) {
  const last = label(columns.at(-1).index, rows.at(-1).index);
  const room = Math.max(context.measureText(last).width + 14, drop * 14 + 18);
  return 2 ** Math.max(0, Math.ceil(Math.log2(room / cell)));
}

/* A label stands in the corner of its cell, `drop` lines below the edge. */
function writeLabels(context, columns, rows, options) {
  if (columns.length === 0 || rows.length === 0) return;
  const { label, every, look: { colour, drop } } = options;
  context.font = FONT;
  context.lineJoin = 'round';
  context.lineWidth = 3;
  context.strokeStyle = HALO;
  context.fillStyle = colour;
  const nth = every * labelledEvery(context, columns, rows, options);
  const labelled = ({ index }) => index % nth === 0;
  for (const column of columns.filter(labelled)) {
    for (const row of rows.filter(labelled)) {
      const text = label(column.index, row.index).replaceAll('-', '\u2212');
      context.strokeText(text, column.at + 5, row.at + 14 + drop * 14);
      context.fillText(text, column.at + 5, row.at + 14 + drop * 14);
    }
  }
}

/* `cells(zoom)` says how wide the cells are and what they are called. `look` has the colour and
 * width of lines, and `drop`: a grid with more of it lies above others, and leaves as many lines of
 * text free for their labels. */
export const Grid = L.Layer.extend({
  initialize(cells, look) {
    Object.assign(this, { cells, look });
  },
  onAdd(map) {
    this.canvas = L.DomUtil.create('canvas', 'grid', map.getPane('overlayPane'));
    this.canvas.setAttribute('aria-hidden', 'true');
    this.canvas.style.zIndex = String(this.look.drop);
    this.draw();
  },
  onRemove() {
    this.canvas.remove();
  },
  getEvents() {
    const hide = () => { this.canvas.hidden = true; };
    return { move: this.draw, zoomanim: hide, zoomend: this.draw, resize: this.draw };
  },
  draw() {
    const map = this._map;
    const size = map.getSize();
    const density = devicePixelRatio || 1;
    this.canvas.hidden = false;
    Object.assign(this.canvas, { width: size.x * density, height: size.y * density });
    Object.assign(this.canvas.style, { width: `${size.x}px`, height: `${size.y}px` });
    L.DomUtil.setPosition(this.canvas, map.containerPointToLayerPoint([0, 0]));
    const context = this.canvas.getContext('2d');
    context.scale(density, density);
    const scale = 2 ** (map.getZoom() - 17);
    const { side, origin, label } = this.cells(map.getZoom());
    const every = 2 ** Math.max(0, Math.ceil(Math.log2(LINE_PX / (side * scale))));
    const corner = toPlace(map.containerPointToLatLng([0, 0]));
    const lines = (start, length) =>
      linesOf({ start, length, scale, origin, step: side * every, every });
    const columns = lines(corner.x, size.x);
    const rows = lines(corner.y, size.y);
    strokeLines(context, columns, rows, size, this.look);
    writeLabels(context, columns, rows,
      { label, every, cell: side * every * scale, look: this.look });
  },
});
