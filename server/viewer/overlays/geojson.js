/* Reads GeoJSON into plain features with places in metres of the world. Nothing here knows the
 * page.
 *
 * Coordinates are metres, x to the east and y to the south, as everywhere in the server; they are
 * degrees of the map (as of a Web Mercator map, and in the server's own .geojson) if the file's
 * "crs" says so, or the reader. */

import { PLACE_MAX } from '../app/place.js';
import { tr } from '../texts/texts.js';

const POSITIONS_MAX = 200000;
const DEPTH_MAX = 8;
const DEGREES = /(CRS84|EPSG:{1,2}4326)$/i;
const METRES = /^terrane$/i;

/* What is wrong with a file, and where in it. */
function fail(where, what) {
  throw new Error(where ? `${where.replace(/^\./, '')}: ${what}` : what);
}

function fromDegrees(longitude, latitude) {
  const stretched = Math.log(Math.tan(Math.PI / 4 + (latitude * Math.PI) / 360));
  return { x: (longitude / 180) * 2 ** 24, y: (-stretched / Math.PI) * 2 ** 24 };
}

/* What reading needs on its way: how many positions there are, and whether all could be degrees. */
function createReader(degrees) {
  let positions = 0;
  let within = true;

  const position = (value, where) => {
    if (!Array.isArray(value) || value.length < 2 || !value.slice(0, 2).every(Number.isFinite)) {
      fail(where, tr('a position must be an array of two numbers'));
    }
    const [first, second] = value;
    positions += 1;
    if (positions > POSITIONS_MAX) fail('', tr('there are more than {0} positions', POSITIONS_MAX));
    within &&= Math.abs(first) <= 180 && Math.abs(second) <= 90;
    if (degrees && Math.abs(second) >= 90) fail(where, tr('a latitude must be within ±90 degrees'));
    const place = degrees ? fromDegrees(first, second) : { x: first, y: second };
    if (Math.max(Math.abs(place.x), Math.abs(place.y)) > PLACE_MAX) {
      fail(where, tr('a coordinate must be within ±2⁴⁰ m'));
    }
    return place;
  };
  const list = (each, least = 0) => (value, where) => {
    if (!Array.isArray(value) || value.length < least) {
      fail(where, least > 0 ? tr('there must be {0} positions at least', least)
        : tr('must be an array'));
    }
    return value.map((item, i) => each(item, `${where}[${i}]`));
  };
  return {
    shapes: {
      Point: ['point', position],
      MultiPoint: ['point', list(position), true],
      LineString: ['line', list(position, 2)],
      MultiLineString: ['line', list(list(position, 2)), true],
      Polygon: ['area', list(list(position, 4))],
      MultiPolygon: ['area', list(list(list(position, 4))), true],
    },
    summary: () => ({ positions, couldBeDegrees: positions > 0 && within }),
  };
}

/* The simple shapes of a geometry: [{shape: 'point' | 'line' | 'area', at}]. */
function shapesOf(reader, geometry, where, depth = 0) {
  if (geometry === null || geometry === undefined) return [];
  if (depth > DEPTH_MAX) fail(where, tr('the collections are nested too deeply'));
  if (geometry.type === 'GeometryCollection') {
    if (!Array.isArray(geometry.geometries)) fail(`${where}.geometries`, tr('must be an array'));
    return geometry.geometries.flatMap((each, i) =>
      shapesOf(reader, each, `${where}.geometries[${i}]`, depth + 1));
  }
  if (!Object.hasOwn(reader.shapes, geometry.type)) {
    fail(`${where}.type`, tr('there is no geometry "{0}"', geometry.type));
  }
  const [shape, read, several] = reader.shapes[geometry.type];
  const at = read(geometry.coordinates, `${where}.coordinates`);
  return several ? at.map((one) => ({ shape, at: one })) : [{ shape, at }];
}

const text = (value) =>
  (['string', 'number', 'boolean'].includes(typeof value) ? String(value) : '');
const colour = (value) => (/^#([0-9a-f]{3}|[0-9a-f]{6})$/i.test(value) ? value : null);

/* The properties that are shown: the name, colours (as of simplestyle-spec), and all plain ones. */
function describe(properties) {
  const given = properties && typeof properties === 'object' ? properties : {};
  return {
    name: text(given.name) || text(given.title),
    colour: colour(given['marker-color']) ?? colour(given.stroke) ?? colour(given.color),
    fill: colour(given.fill),
    properties: Object.entries(given).filter(([, value]) => text(value) !== '').slice(0, 20)
      .map(([key, value]) => [key, text(value)]),
  };
}

function featuresOf(reader, root) {
  const entries = root.type === 'FeatureCollection' ? root.features : [root];
  if (!Array.isArray(entries)) fail('features', tr('must be an array'));
  return entries.map((entry, i) => {
    const where = root.type === 'FeatureCollection' ? `features[${i}]` : '';
    if (entry === null || typeof entry !== 'object') fail(where, tr('must be an object'));
    return entry.type === 'Feature'
      ? {
        ...describe(entry.properties),
        shapes: shapesOf(reader, entry.geometry, `${where}.geometry`),
      }
      : { ...describe(null), shapes: shapesOf(reader, entry, where) };
  });
}

/* True or false if the file says which coordinates it has, else null. */
function declaredDegrees({ crs }) {
  if (crs === undefined || crs === null) return null;
  const name = String(crs.properties?.name ?? '');
  if (DEGREES.test(name)) return true;
  if (METRES.test(name)) return false;
  return fail('crs', tr('the coordinate system "{0}" is none of CRS84, EPSG:4326 and terrane',
    name));
}

/* The features of a GeoJSON text. `degrees`: true or false is the reader's word, null the file's.
 * Throws an Error that says what is wrong, and where. */
export function readGeoJson(source, degrees = null) {
  let root;
  try {
    root = JSON.parse(source);
  } catch (error) {
    fail('', tr('this is no JSON: {0}', error.message));
  }
  if (root === null || typeof root !== 'object') fail('', tr('GeoJSON is an object'));
  const used = degrees ?? declaredDegrees(root) ?? false;
  const reader = createReader(used);
  const features = featuresOf(reader, root);
  return { features, degrees: used, ...reader.summary() };
}
