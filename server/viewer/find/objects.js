/* Objects of one kind: those in view as dots on the map, and the nearest to a place. */

import * as L from 'leaflet/dist/leaflet-src.esm.js';
import { getJson, pinned } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { exactText, wayTo } from '../app/place.js';
import { toLatLng, toPlace } from '../map/map.js';
import { tr } from '../texts/texts.js';

const FIRST = 32; /* metres to each side, where the nearest is looked for at first */
/* The server gives 10,000 objects at once, and refuses what is too expensive. Each cell of a kind's
 * grid has one object at most, so cells tell what is not refused. */
const CELLS_ONCE = 10000;
const CELLS_SHOWN = 60000;
const CELLS_SEARCHED = 150000;

function getObjects(world, kind, { x0, y0, x1, y1 }, signal) {
  const bbox = [x0, y0, x1, y1].map(exactText).join(',');
  const query = `bbox=${bbox}&kind=${encodeURIComponent(kind.name)}`;
  return getJson(`${pinned(world)}/objects?${query}`, signal);
}

const cellsOf = ({ x0, y0, x1, y1 }, { spacing }) =>
  Math.ceil((x1 - x0) / spacing + 1) * Math.ceil((y1 - y0) / spacing + 1);

/* The halves of a box, and theirs, until each has few enough cells. */
function pieces(box, kind) {
  if (cellsOf(box, kind) <= CELLS_ONCE) return [box];
  const { x0, y0, x1, y1 } = box;
  const halves = x1 - x0 > y1 - y0
    ? [{ ...box, x1: (x0 + x1) / 2 }, { ...box, x0: (x0 + x1) / 2 }]
    : [{ ...box, y1: (y0 + y1) / 2 }, { ...box, y0: (y0 + y1) / 2 }];
  return halves.flatMap((half) => pieces(half, kind));
}

/* The objects around a place by distance, from the smallest square that has more than `known` of
 * them for certain: {objects, radius}; no objects if the widest square that may be asked for has
 * none. */
export async function objectsAround(world, kind, { x, y }, known, looked, signal) {
  for (let half = FIRST, radius = 0; ; radius = half, half *= 2) {
    const box = { x0: x - half, y0: y - half, x1: x + half, y1: y + half };
    if (cellsOf(box, kind) > CELLS_SEARCHED) return { objects: [], radius };
    looked(half);
    const answer = await getObjects(world, kind, box, signal);
    const objects = answer.objects
      .map((object) => ({ ...object, ...wayTo({ x, y }, object) }))
      .filter(({ distance }) => distance <= half)
      .sort((a, b) => a.distance - b.distance);
    if (objects.length > known) return { objects, radius: half };
  }
}

/* Dots of a kind in view, renewed when the map has moved. `say(text)` hears how many there are. */
export function createDots(app, say) {
  const latest = createLatest();
  const renderer = L.canvas({ padding: 0.2 });
  const group = L.layerGroup();
  let kind = null;

  const dot = (object) => L.circleMarker(toLatLng(object), {
    renderer, radius: 5, weight: 1.5, color: '#fff', fillColor: kind.color ?? '#333',
    fillOpacity: 1, interactive: false,
  });
  const view = () => {
    const bounds = app.map.leaflet.getBounds();
    const [{ x: x0, y: y0 }, { x: x1, y: y1 }] =
      [toPlace(bounds.getNorthWest()), toPlace(bounds.getSouthEast())];
    return { x0, y0, x1, y1 };
  };
  const draw = async () => {
    if (kind === null) return;
    const box = view();
    const many = cellsOf(box, kind) > CELLS_SHOWN;
    const boxes = many ? [] : pieces(box, kind);
    try {
      const answers = await latest((signal) => Promise.all(boxes.map((piece) =>
        getObjects(app.world, kind, piece, signal))));
      if (answers === null) return;
      group.clearLayers();
      for (const object of answers.flatMap(({ objects }) => objects)) group.addLayer(dot(object));
      const count = answers.reduce((sum, answer) => sum + answer.count, 0);
      say(many ? tr('Zoom in to see them: there are too many in view.')
        : tr('{0} in view.', count));
    } catch (error) {
      group.clearLayers();
      say(error.message);
    }
  };
  app.on('view', draw);
  app.on('shown', () => {
    kind = app.world.objects?.find(({ name }) => name === kind?.name) ?? null;
    group.clearLayers();
    draw();
  });

  return {
    /* Shows the kind of this name, or none. */
    set(name) {
      kind = app.world.objects.find((entry) => entry.name === name) ?? null;
      group.clearLayers();
      if (kind === null) {
        latest(async () => null);
        group.remove();
        return;
      }
      group.addTo(app.map.leaflet);
      draw();
    },
  };
}
