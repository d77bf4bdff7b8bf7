/* The measured line or area on the map: corners to drag, a cursor that follows the chart. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { createHandle } from '../map/handle.js';
import { toLatLng, toPlace } from '../map/map.js';
import { nearestOnLine } from './geometry.js';
import { tr } from '../texts/texts.js';

const NEAR_PX = 24; /* so near to the line the mouse moves the cursor */

const cursorIcon = L.divIcon({ className: 'measure-cursor', iconSize: [14, 14] });

/* The strokes of the line, from the lowest: a wide one for fingers, a light border, the line. */
const STROKES = [
  { className: 'measure-hit', weight: 22, opacity: 0, interactive: true },
  { className: 'measure-border', weight: 6, interactive: false },
  { className: 'measure-line', weight: 3, interactive: false },
];

/* `on` has moving(index, place) while a corner is dragged, moved(index, place) when it stays,
 * removed(index), inserted(index, place), and pointed(metres along the line, or null). */
export function createSketch(map, on) {
  const group = L.layerGroup();
  const fill = L.polygon([], { className: 'measure-area', stroke: false, interactive: false });
  const lines = STROKES.map((stroke) => L.polyline([], stroke));
  const label = L.tooltip({ permanent: true, direction: 'top', className: 'measure-label',
    offset: [0, -8] });
  const cursor = L.marker([0, 0], { icon: cursorIcon, interactive: false, keyboard: false });
  const corners = [];
  let border = [];   /* the points, and the first one again behind an area's last one */

  const addCorner = (latLng) => {
    const name = tr('Point {0}. Arrow keys move it, Delete removes it.', corners.length + 1);
    const index = () => corners.indexOf(marker);
    const marker = createHandle(map, { latLng, className: 'measure-corner', name }, {
      moving: (place) => on.moving(index(), place),
      moved: (place) => on.moved(index(), place),
      removed() {
        (corners[index() - 1] ?? corners[1])?.getElement().focus();
        on.removed(index());
      },
    });
    marker.addTo(group);
    corners.push(marker);
  };

  const nearest = (latLng) => nearestOnLine(border, toPlace(latLng));
  lines[0].on('click', (event) => {
    L.DomEvent.stopPropagation(event);
    on.inserted(nearest(event.latlng).leg + 1, toPlace(event.latlng));
  });
  const followMouse = ({ latlng }) => {
    const found = nearest(latlng);
    const near = found !== null && found.apart < NEAR_PX * 2 ** (17 - map.getZoom());
    on.pointed(near ? found.along : null);
  };

  return {
    /* Shows points as a line or, if `closed`, as an area. */
    show(points, closed) {
      border = closed && points.length > 2 ? [...points, points[0]] : points;
      const latLngs = points.map(toLatLng);
      fill.setLatLngs(closed ? latLngs : []);
      for (const line of lines) line.setLatLngs(border.map(toLatLng));
      while (corners.length > points.length) corners.pop().remove();
      for (const [i, latLng] of latLngs.entries()) {
        if (corners[i]) corners[i].setLatLng(latLng);
        else addCorner(latLng);
      }
    },
    /* A short text at the last corner; none if it is empty. */
    setLabel(text) {
      if (text === '' || corners.length === 0) label.remove();
      else label.setLatLng(corners.at(-1).getLatLng()).setContent(text).addTo(group);
    },
    /* The cursor's place; null hides it. */
    setCursor(place) {
      if (place === null) cursor.remove();
      else cursor.setLatLng(toLatLng(place)).addTo(group);
    },
    /* Everything on the map, or nothing. */
    setShown(shown) {
      if (shown) {
        for (const layer of [fill, ...lines]) layer.addTo(group);
        group.addTo(map);
        map.on('mousemove', followMouse);
      } else {
        map.off('mousemove', followMouse);
        group.remove();
      }
    },
  };
}
