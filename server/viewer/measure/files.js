/* A measurement as files: CSV of the samples or corners, GeoJSON of the line or area. */

import { placeDegrees } from '../app/place.js';
import { areaOf, legs, signedArea, sum } from './geometry.js';

const decimals = (value) => String(Number(value.toFixed(3)) + 0);

function table(head, rows) {
  const lines = [head, ...rows].map((row) => `${row.join(',')}\r\n`);
  return new Blob(lines, { type: 'text/csv' });
}

/* Samples along a line: metres; the water level where there is water. */
export function profileTable({ distances, heights, levels, places }) {
  return table(['distance', 'x', 'y', 'height', 'water_level'], distances.map((metres, i) => [
    ...[metres, places[i].x, places[i].y, heights[i]].map(decimals),
    levels[i] > heights[i] ? decimals(levels[i]) : '',
  ]));
}

export function cornerTable(points) {
  return table(['x', 'y'], points.map(({ x, y }) => [x, y].map(decimals)));
}

/* A feature in the degrees of the map, as GeoJSON has them; `places` are the same corners in
 * metres, which are exact anywhere. `facts`: further properties. */
export function feature(world, points, closed, facts) {
  const turned = closed && signedArea(points) > 0 ? points.toReversed() : points; /* RFC 7946 */
  const ring = closed ? [...turned, turned[0]] : points;
  const positions = ring.map(placeDegrees);
  const geometry = closed ? { type: 'Polygon', coordinates: [positions] }
    : { type: 'LineString', coordinates: positions };
  const properties = {
    world: world.name, seed: world.seed, fingerprint: world.fingerprint,
    length: sum(legs(points, closed)), ...(closed ? { area: areaOf(points) } : {}), ...facts,
    places: points.map(({ x, y }) => [x, y]),
  };
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } };
  const collection = { type: 'FeatureCollection', crs,
    features: [{ type: 'Feature', geometry, properties }] };
  return new Blob([JSON.stringify(collection, null, 1)], { type: 'application/geo+json' });
}
