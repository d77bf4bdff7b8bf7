/* Draws what geojson.js has read: points, lines and areas on one canvas. Names and properties are
 * shown as text, never as HTML. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { h } from '../app/dom.js';
import { coordinateText, readable } from '../app/place.js';
import { toLatLng } from '../map/map.js';

const COLOUR = '#ffb300';
const EDGE = '#1b2733';
const TOOLTIP_CHARACTERS = 80;

const short = (text) =>
  (text.length > TOOLTIP_CHARACTERS ? `${text.slice(0, TOOLTIP_CHARACTERS)}…` : text);

function popupOf({ name, properties }, place) {
  const rows = properties.filter(([, value]) => value !== name)
    .flatMap(([key, value]) => [h('dt', {}, key), h('dd', {}, value)]);
  const at = ['x', 'y'].map((axis) => readable(coordinateText(place[axis], 20))).join(', ');
  return h('div', { class: 'feature' }, name && h('strong', {}, name),
    rows.length > 0 && h('dl', {}, rows), h('p', {}, at));
}

const latLngs = (nested) => (Array.isArray(nested) ? nested.map(latLngs) : toLatLng(nested));

function layerOf(feature, { shape, at }, renderer) {
  const colour = feature.colour ?? COLOUR;
  const common = { renderer, bubblingMouseEvents: false };
  if (shape === 'point') {
    return L.circleMarker(toLatLng(at), {
      ...common, radius: 7, color: EDGE, weight: 1.5, fillColor: colour, fillOpacity: 1,
    });
  }
  const line = { ...common, color: colour, weight: 3 };
  return shape === 'line' ? L.polyline(latLngs(at), line)
    : L.polygon(latLngs(at),
      { ...line, weight: 2, fillColor: feature.fill ?? colour, fillOpacity: 0.25 });
}

/* The first place of a shape. */
function firstOf(at) {
  return Array.isArray(at) ? firstOf(at[0]) : at;
}

/* Where a feature is: its first place; null if it has none. */
export function placeOf({ shapes }) {
  const first = shapes.find(({ at }) => firstOf(at));
  return first ? firstOf(first.at) : null;
}

/* A group of Leaflet's layers: areas below lines below points, whatever their order in the file. */
export function createFeatureLayer(features, renderer) {
  const group = L.layerGroup();
  const all = features.flatMap((feature) => feature.shapes.map((shape) => ({ feature, shape })));
  for (const kind of ['area', 'line', 'point']) {
    for (const { feature, shape } of all.filter((each) => each.shape.shape === kind)) {
      const layer = layerOf(feature, shape, renderer);
      if (feature.name) layer.bindTooltip(h('span', {}, short(feature.name)), { direction: 'top' });
      layer.bindPopup(() => popupOf(feature, firstOf(shape.at)), { maxWidth: 260, autoPan: false });
      layer.on('popupopen', () => layer.closeTooltip());
      layer.featureName = feature.name;
      group.addLayer(layer);
    }
  }
  return group;
}

/* The name of the feature whose popup is open, or null. */
export function openName(group) {
  return group.getLayers().find((layer) => layer.isPopupOpen())?.featureName ?? null;
}

/* Opens the popup of a name again, after the features were replaced. */
export function reopen(group, name) {
  if (name) group.getLayers().find((layer) => layer.featureName === name)?.openPopup();
}
