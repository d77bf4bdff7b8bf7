/* The layers of the world that the map shows: a click shows one, with how its values are spread
 * over the view, and a profile through the middle of it. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createLatest } from '../app/app.js';
import { plainLayer } from '../app/api.js';
import { h } from '../app/dom.js';
import { valueText } from '../app/place.js';
import { toLatLng } from '../map/map.js';
import { extremes, histogram, lineChart } from './charts.js';
import { placeAt, sampleLayer, visibleBox } from './view.js';

const COLUMNS = 96;
const ROWS = 64;
const PROFILE = 240;
const REST_MS = 150;

/* The places of the view: a grid, then the line through its middle. */
function placesOf(app) {
  const { left, top, right, bottom } = visibleBox(app);
  const a = placeAt(app, left, top);
  const b = placeAt(app, right, bottom);
  const along = (from, to, part) => from + (to - from) * part;
  const places = [];
  for (let row = 0; row < ROWS; row += 1) {
    for (let column = 0; column < COLUMNS; column += 1) {
      places.push(along(a.x, b.x, (column + 0.5) / COLUMNS), along(a.y, b.y, (row + 0.5) / ROWS));
    }
  }
  const middle = (a.y + b.y) / 2;
  for (let i = 0; i < PROFILE; i += 1) places.push(along(a.x, b.x, i / (PROFILE - 1)), middle);
  return { places, line: [{ x: a.x, y: middle }, { x: b.x, y: middle }] };
}

function drawCharts({ name, unit }, samples) {
  const grid = samples.subarray(0, COLUMNS * ROWS);
  const line = samples.subarray(COLUMNS * ROWS);
  const [low, high] = extremes(samples);
  const mean = grid.reduce((sum, value) => sum + value, 0) / grid.length;
  const ends = (text) => h('p', { class: 'ends' }, h('span', {}, valueText(low, unit)),
    h('span', {}, text), h('span', {}, valueText(high, unit)));
  return [
    h('h3', {}, `${name}: values in the view`),
    histogram(`How the values of ${name} are spread`, grid, low, high),
    ends(`mean ${valueText(mean, unit)}`),
    h('h3', {}, 'From west to east'),
    lineChart(`${name} along the line on the map`, line, low, high),
  ];
}

function createGroundLine(leaflet) {
  const line = L.polyline([], { color: '#fff', weight: 2, dashArray: '6 5', interactive: false });
  return {
    show: (places) => line.setLatLngs(places.map(toLatLng)).addTo(leaflet),
    hide: () => line.remove(),
  };
}

/* The layer that is on the map; of a map of several layers, the height. */
function chosenLayer(app) {
  return plainLayer(app.world, app.style) ??
    app.world.layers.find(({ name }) => name === 'height');
}

export function createLayers(app) {
  const latest = createLatest();
  const list = h('ul', { class: 'layer-list', 'aria-label': 'Layers' });
  const charts = h('div', { class: 'charts' });
  const element = h('div', { class: 'lab-layers' }, list, charts);
  const ground = createGroundLine(app.map.leaflet);
  let open = false;
  let timer = 0;
  let usual = 'relief'; /* the style that was shown before a layer */

  const entry = (name, text, title) => h('li', {}, h('button', {
    type: 'button', title, 'aria-pressed': String(app.style === name),
    onclick: () => app.show(app.world, name),
  }, text));

  const showList = () => {
    if (plainLayer(app.world, app.style) === null) usual = app.style;
    const scroll = list.scrollTop;
    list.replaceChildren(entry(usual, 'The whole map', 'The style that was shown before'),
      ...app.world.layers.map(({ name, formula }) => entry(name, name, formula ?? '')));
    list.scrollTop = scroll;
  };

  const showCharts = async () => {
    const layer = chosenLayer(app);
    const { places, line } = placesOf(app);
    try {
      const samples = await latest((signal) =>
        sampleLayer(app.world, layer.name, app.map.view().zoom, places, signal));
      if (samples === null || !open) return;
      charts.replaceChildren(...drawCharts(layer, samples));
      ground.show(line);
    } catch (error) {
      charts.replaceChildren(h('p', { class: 'note' }, error.message));
    }
  };

  const refresh = () => {
    if (!open || app.world === null) return;
    clearTimeout(timer);
    timer = setTimeout(showCharts, REST_MS);
  };
  app.on('shown', () => {
    if (!open) return;
    showList();
    refresh();
  });
  app.on('view', refresh);
  return {
    element,
    setOpen(now) {
      open = now;
      if (!open) ground.hide();
      else if (app.world !== null) {
        showList();
        refresh();
      }
    },
  };
}
