/* The layers of the world that the map shows: a click shows one, with how its values are spread
 * over the view, and a profile through the middle of it. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createLatest } from '../app/app.js';
import { plainLayer } from '../app/api.js';
import { h } from '../app/dom.js';
import { valueText } from '../app/place.js';
import { toLatLng } from '../map/map.js';
import { extremes, histogram, lineChart } from './charts.js';
import { sampleView } from './view.js';
import { tr } from '../texts/texts.js';

const REST_MS = 150;

function drawCharts({ name, unit }, { grid, line }) {
  const [low, high] = extremes(grid);
  const mean = grid.reduce((sum, value) => sum + value, 0) / grid.length;
  return [
    h('h3', {}, tr('{0}: values in the view', name)),
    histogram(tr('How the values of {0} are spread', name), grid, low, high),
    h('p', { class: 'ends' }, [valueText(low, unit), tr('mean {0}', valueText(mean, unit)),
      valueText(high, unit)].map((text) => h('span', {}, text))),
    h('h3', {}, tr('From west to east')),
    lineChart(tr('{0} along the line on the map', name), line, low, high),
  ];
}

function createGroundLine(leaflet) {
  const line = L.polyline([], { color: '#fff', weight: 2, dashArray: '6 5', interactive: false });
  return {
    show: (places) => line.setLatLngs(places.map(toLatLng)).addTo(leaflet),
    hide: () => line.remove(),
  };
}

export function createLayers(app) {
  const latest = createLatest();
  const list = h('ul', { class: 'layer-list', 'aria-label': tr('Layers') });
  const charts = h('div', { class: 'charts' });
  const element = h('div', { class: 'lab-layers' }, list, charts);
  const ground = createGroundLine(app.map.leaflet);
  let open = false;
  let timer = 0;
  let usual = 'relief'; /* the style that was shown before a layer */
  let clicked = null;   /* the layer of the list; a style may have its name and be shown for it */

  /* The name of the layer that is chosen, or null for a map of several layers. */
  const chosen = () => (app.style === clicked ? clicked
    : plainLayer(app.world, app.style)?.name ?? null);

  const entry = (layer, style, text, title) => h('li', {}, h('button', {
    type: 'button', title, 'aria-pressed': String(chosen() === layer),
    onclick() {
      clicked = layer;
      app.show(app.world, style);
    },
  }, text));

  const showList = () => {
    if (chosen() === null) usual = app.style;
    const scroll = list.scrollTop;
    list.replaceChildren(entry(null, usual, tr('The whole map'),
      tr('The style that was shown before')),
      ...app.world.layers.map(({ name, formula }) => entry(name, name, name, formula ?? '')));
    list.scrollTop = scroll;
  };

  const showCharts = async () => {
    const wanted = chosen() ?? 'height';
    const layer = app.world.layers.find(({ name }) => name === wanted);
    try {
      const samples = await latest((signal) => sampleView(app, layer.name, signal));
      if (samples === null || !open) return;
      charts.replaceChildren(...drawCharts(layer, samples));
      ground.show(samples.ends);
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
