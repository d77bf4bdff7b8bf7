/* The style that MapLibre draws: the tiles of the page's map on the ground of the world, and a sky.
 * Addresses of tiles are "terrane:KIND/z/x/y" in MapLibre's own numbers; tileAddress() makes the
 * server's of them. */

import { findStyle, plainLayer, tileTemplate } from '../app/api.js';
import { TILE_ZOOMS, boundsOf, heightFactor, latitudeFactor, serverTile } from './square.js';

/* Heights of the surface that one walks or swims on; of the bed where a world has no such style. */
const HEIGHTS = ['terrarium-water', 'terrarium'];
/* Steps of styles that light the ground already, or whose colours are numbers. */
const UNSHADED = new Set(['shade', 'normal', 'terrarium', 'mapbox', 'grey', 'grey16']);

/* The light of the map: of a day, without a sun that stands anywhere. */
const USUAL = { sky: '#6fa6d8', horizon: '#dfe9f0', fog: '#d9e3ea', picture: 1 };

/* The sky of a light (sun.js); null is that of the map. */
export const skyOf = (light) => ({
  'sky-color': (light ?? USUAL).sky,
  'horizon-color': (light ?? USUAL).horizon,
  'fog-color': (light ?? USUAL).fog,
  'sky-horizon-blend': 0.7,
  'horizon-fog-blend': 0.6,
  'fog-ground-blend': 0.72,
});

/* The paint of each layer in a light. */
export const paintOf = (light) => ({
  void: { 'background-color': (light ?? USUAL).fog },
  picture: { 'raster-brightness-max': (light ?? USUAL).picture,
    'raster-saturation': light === null ? 0 : 0.6 * (light.picture - 1) },
  shade: light === null ? {
    'hillshade-illumination-direction': 335, 'hillshade-illumination-anchor': 'viewport',
    'hillshade-exaggeration': 0.35, 'hillshade-shadow-color': '#1d2b3a',
    'hillshade-highlight-color': '#fffaf0', 'hillshade-accent-color': '#2b3a2b',
  } : {
    'hillshade-illumination-direction': light.azimuth, 'hillshade-illumination-anchor': 'map',
    'hillshade-exaggeration': light.shade, 'hillshade-shadow-color': '#101a2b',
    'hillshade-highlight-color': light.light, 'hillshade-accent-color': '#1b2430',
  },
});

/* The name of the world's style with heights, or undefined. */
export const heightsOf = (world) => HEIGHTS.find((name) => findStyle(world, name));

/* Whether the ground would look flat in a style. */
export const needsShade = (world, style) => plainLayer(world, style) === null
  && !findStyle(world, style).legend.some(({ kind }) => UNSHADED.has(kind));

/* Terrarium's encoding in MapLibre's metres: height = 256 · red + green + blue / 256 − 32768. */
const encoding = {
  encoding: 'custom',
  redFactor: 256 * heightFactor,
  greenFactor: heightFactor,
  blueFactor: heightFactor / 256,
  baseShift: 32768 * heightFactor,
};

const template = (kind, version) => `terrane:${kind}/{z}/{x}/{y}?${version}`;

/* `version`: a number; with another one, MapLibre fetches the tiles again. */
export const tilesOf = (kind, version) => [template(kind, version)];

/* The server's address for one of MapLibre's. */
export function tileAddress(address, { square, world, style, time }) {
  const [, kind, ...numbers] = /^terrane:(\w+)\/(\d+)\/(\d+)\/(\d+)/.exec(address);
  const { z, x, y } = serverTile(square, ...numbers.map(Number));
  const tiles = kind === 'picture' ? tileTemplate(world, style, time)
    : tileTemplate(world, heightsOf(world));
  const ratio = kind === 'picture' && devicePixelRatio > 1 ? '@2x' : '';
  const path = tiles.replace('{z}', z).replace('{x}', x).replace('{y}', y).replace('{r}', ratio);
  return new URL(path, document.baseURI).href;
}

/* Terrain that is true to scale around a latitude, times the exaggeration that was chosen. */
export const terrainAt = (lat, exaggeration) =>
  ({ source: 'ground', exaggeration: exaggeration * latitudeFactor(lat) });

export function sceneStyle({ square, lat, exaggeration, shade, version, light }) {
  const paint = paintOf(light);
  const common = {
    tileSize: 256, minzoom: TILE_ZOOMS.min, maxzoom: TILE_ZOOMS.max, bounds: boundsOf(square),
  };
  const heights = () =>
    ({ ...common, type: 'raster-dem', tiles: tilesOf('heights', version), ...encoding });
  return {
    version: 8,
    transition: { duration: 0 },   /* textures of the ground are not drawn again during one */
    sources: {
      ground: heights(),      /* first, so that it is asked for first */
      picture: { ...common, type: 'raster', tiles: tilesOf('picture', version) },
      shade: heights(),       /* hillshade wants tiles of other zooms than the ground */
    },
    terrain: terrainAt(lat, exaggeration),
    sky: skyOf(light),
    layers: [
      { id: 'void', type: 'background', paint: paint.void },
      {
        id: 'picture', type: 'raster', source: 'picture',
        paint: { 'raster-fade-duration': 0, ...paint.picture },
      },
      {
        id: 'shade', type: 'hillshade', source: 'shade',
        layout: { visibility: shade || light !== null ? 'visible' : 'none' },
        paint: paint.shade,
      },
    ],
  };
}
