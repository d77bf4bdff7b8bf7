/* Some biomes highlighted: all others are dimmed by a layer over the map. Its tiles are made from
 * those of the style "biome", in which each biome has one colour. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { tileTemplate } from '../app/api.js';
import { PLACE_MAX, ZOOM_MAX } from '../app/place.js';
import { toLatLng } from '../map/map.js';

const DIM = [12, 16, 24, 178];

/* "#1f4e79" or "#abc" as red · 2¹⁶ + green · 2⁸ + blue. */
function colourNumber(text) {
  const digits = text.slice(1);
  return parseInt(digits.length === 3 ? digits.replace(/./g, '$&$&') : digits.slice(0, 6), 16);
}

async function loadImage(src) {
  const image = new Image();
  image.src = src;
  await image.decode();
  return image;
}

/* The colour of each pixel of a tile, as numbers. */
function coloursOf(image) {
  const { naturalWidth: width, naturalHeight: height } = image;
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d', { willReadFrequently: true });
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const colours = new Uint32Array(width * height);
  for (let i = 0; i < colours.length; i += 1) {
    colours[i] = (data[4 * i] << 16) | (data[4 * i + 1] << 8) | data[4 * i + 2];
  }
  return { colours, width, height };
}

/* Draws what dims a tile. */
function paint(canvas, { colours, width, height }, wanted) {
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  colours.forEach((colour, index) => {
    if (!wanted.has(colour)) image.data.set(DIM, 4 * index);
  });
  canvas.getContext('2d').putImageData(image, 0, 0);
}

const edge = L.latLngBounds(toLatLng({ x: -PLACE_MAX, y: -PLACE_MAX }),
  toLatLng({ x: PLACE_MAX, y: PLACE_MAX }));

/* A layer of canvases; `live` are the tiles that are shown, with their colours. */
function createLayer(template, wanted) {
  const live = new Map();
  const layer = L.gridLayer({ minZoom: 0, maxZoom: ZOOM_MAX, bounds: edge, className: 'highlight',
    updateWhenZooming: false, keepBuffer: 2 });
  const retina = L.Browser.retina ? '@2x' : '';
  layer.createTile = ({ x, y, z }, done) => {
    const canvas = document.createElement('canvas');
    canvas.dataset.tile = `${z}/${x}/${y}`;
    const src = L.Util.template(template, { x, y, z, r: retina });
    loadImage(src).then((image) => {
      const tile = coloursOf(image);
      live.set(canvas, tile);
      paint(canvas, tile, wanted());
      done(null, canvas);
    }).catch((error) => done(error, canvas));
    return canvas;
  };
  layer.on('tileunload', ({ tile }) => live.delete(tile));
  layer.repaint = () => live.forEach((tile, canvas) => paint(canvas, tile, wanted()));
  return layer;
}

export function createHighlight(app) {
  let biomes = [];
  let layer = null;
  let shown = null;

  const wanted = () => new Set(app.world.biomes
    .filter(({ name }) => biomes.includes(name)).map(({ color }) => colourNumber(color)));
  const show = () => {
    const template = biomes.length > 0 ? tileTemplate(app.world, 'biome', app.time) : null;
    if (template !== null && template === shown) {
      layer.repaint();
      return;
    }
    layer?.remove();
    shown = template;
    layer = template === null ? null : createLayer(template, wanted).addTo(app.map.leaflet);
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
