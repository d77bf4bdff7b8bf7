/* Some biomes highlighted: all others are dimmed by a layer over the map. Its tiles are made from
 * those of the style "biome", in which each biome has one colour. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { tileTemplate } from '../app/api.js';
import { PLACE_MAX, ZOOM_MAX } from '../app/place.js';
import { createRecovery } from '../app/recovery.js';
import { toLatLng } from '../map/map.js';

/* Of each pixel, as bytes: red, green, blue, opacity. */
const DIM = [12, 16, 24, 178];
const CLEAR = [0, 0, 0, 0];

/* "#1f4e79" or "#abc" as those bytes. */
function colourBytes(text) {
  const digits = text.slice(1);
  const six = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits.slice(0, 6);
  return [0, 2, 4].map((at) => parseInt(six.slice(at, at + 2), 16)).concat(255);
}

/* The bytes of a pixel as the number that they are in this machine's memory. */
const pixelOf = (bytes) => new Uint32Array(Uint8Array.from(bytes).buffer)[0];

async function loadImage(src) {
  const image = new Image();
  image.src = src;
  await image.decode();
  return image;
}

/* One canvas reads the pixels of all tiles. */
const reader = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
function readPixels(image) {
  const { naturalWidth: width, naturalHeight: height } = image;
  Object.assign(reader.canvas, { width, height });
  reader.drawImage(image, 0, 0);
  return reader.getImageData(0, 0, width, height);
}

/* The colours of the biomes, each once. */
const paletteOf = (biomes) =>
  [...new Set(biomes.map(({ color }) => pixelOf(colourBytes(color))))];

/* A tile as indices of the palette, or its length for a colour that it has not. Neighbours are
 * mostly alike. */
function indexPixels(image, palette) {
  const { data, width, height } = readPixels(image);
  const pixels = new Uint32Array(data.buffer);
  const places = new Map(palette.map((colour, place) => [colour, place]));
  const indices = new Uint16Array(pixels.length);
  let [last, index] = [0, palette.length];
  for (let i = 0; i < pixels.length; i += 1) {
    if (pixels[i] !== last) {
      last = pixels[i];
      index = places.get(last) ?? palette.length;
    }
    indices[i] = index;
  }
  return { indices, width, height };
}

/* Draws what dims a tile: `cover` has a pixel for each index. */
function paint(canvas, { indices, width, height }, cover) {
  const image = new ImageData(width, height);
  const target = new Uint32Array(image.data.buffer);
  for (let i = 0; i < target.length; i += 1) target[i] = cover[indices[i]];
  Object.assign(canvas, { width, height });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

const edge = L.latLngBounds(toLatLng({ x: -PLACE_MAX, y: -PLACE_MAX }),
  toLatLng({ x: PLACE_MAX, y: PLACE_MAX }));

/* A layer of canvases; `live` are the tiles that are shown, `missing` those that did not come, with
 * what asks for them again. cover() gives what paint() takes. */
function createLayer(template, palette, cover) {
  const live = new Map();
  const missing = new Map();
  const recovery = createRecovery(() =>
    Promise.all([...missing.values()].map((askAgain) => askAgain())));
  const layer = L.gridLayer({ minZoom: 0, maxZoom: ZOOM_MAX, bounds: edge, className: 'highlight',
    updateWhenZooming: false, keepBuffer: 2 });
  const retina = L.Browser.retina ? '@2x' : '';
  layer.createTile = ({ x, y, z }, done) => {
    const canvas = document.createElement('canvas');
    canvas.dataset.tile = `${z}/${x}/${y}`;
    const src = L.Util.template(template, { x, y, z, r: retina });
    const load = async () => {
      const image = await loadImage(src);
      if (!canvas.isConnected) return; /* the map has gone on */
      const tile = indexPixels(image, palette);
      live.set(canvas, tile);
      missing.delete(canvas);
      if (missing.size === 0) recovery.done();
      paint(canvas, tile, cover());
      done(null, canvas);
    };
    load().catch((error) => {
      if (canvas.isConnected) {
        missing.set(canvas, load);
        recovery.start();
      }
      done(error, canvas);
    });
    return canvas;
  };
  layer.on('tileunload', ({ tile }) => {
    live.delete(tile);
    missing.delete(tile);
  });
  layer.on('remove', recovery.done);
  layer.repaint = () => live.forEach((tile, canvas) => paint(canvas, tile, cover()));
  return layer;
}

export function createHighlight(app) {
  let biomes = [];
  let layer = null;
  let shown = null;

  const cover = () => {
    const clear = paletteOf(app.world.biomes.filter(({ name }) => biomes.includes(name)));
    const pixels = paletteOf(app.world.biomes)
      .map((colour) => (clear.includes(colour) ? CLEAR : DIM));
    return Uint32Array.from([...pixels, DIM], pixelOf);
  };
  const show = () => {
    const template = biomes.length > 0 ? tileTemplate(app.world, 'biome', app.time) : null;
    if (template !== null && template === shown) {
      layer.repaint();
      return;
    }
    layer?.remove();
    shown = template;
    layer = template === null ? null : createLayer(template, paletteOf(app.world.biomes), cover)
      .addTo(app.map.leaflet);
  };
  app.on('shown', () => {
    biomes = biomes.filter((old) => app.world.biomes.some(({ name }) => name === old));
    show();
  });

  return {
    /* Highlights the biomes of these names; none ends it. */
    set(names) {
      biomes = names;
      show();
    },
  };
}
