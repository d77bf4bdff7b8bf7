/* The part of the map that nothing covers, and samples of a layer there. */

import { pinned } from '../app/api.js';
import { toPlace } from '../map/map.js';

/* {left, top, right, bottom} in pixels of the map: without the drawer, which covers its right half
 * or, on phones, its lower part. */
export function visibleBox(app) {
  const { x: width, y: height } = app.map.leaflet.getSize();
  const box = { left: 0, top: 0, right: width, bottom: height };
  const drawer = document.getElementById('drawer').getBoundingClientRect();
  if (drawer.width > 0.8 * width) box.bottom = Math.max(40, drawer.top);
  else if (drawer.width > 0) box.right = Math.max(40, drawer.left);
  return box;
}

/* The places of a point of the map, in pixels. */
export function placeAt(app, x, y) {
  return toPlace(app.map.leaflet.containerPointToLatLng([x, y]));
}

/* A layer's values at places [x, y, x, y, …] as the map shows them: Float32Array. */
export async function sampleLayer(world, layer, zoom, places, signal) {
  const response = await fetch(
    `${pinned(world)}/heights?layer=${encodeURIComponent(layer)}&zoom=${zoom}`, {
      method: 'POST', signal, body: Float64Array.from(places),
      headers: { 'Content-Type': 'application/octet-stream', Accept: 'application/octet-stream' },
    });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  return new Float32Array(await response.arrayBuffer());
}
