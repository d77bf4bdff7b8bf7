/* Trees, shrubs and rocks near the eye: asked of the server cell by cell, and given to the layer
 * that draws them. */

import { getJson, pinned } from '../app/api.js';
import { createRest } from '../app/rest.js';
import { eyeOf } from './camera.js';
import { createObjectsLayer } from './objects_layer.js';

const CELL = 256;           /* metres */
const RADIUS = 640;         /* metres around the eye in which objects stand */
const OBJECTS_MAX = 4000;   /* that are drawn: the nearest */
const REST_MS = 120;

/* The cells that reach into a circle, the nearest first: [column, row]. */
function cellsAround({ x, y }, radius) {
  const cells = [];
  const near = (value, cell) => Math.max(cell * CELL - value, value - (cell + 1) * CELL, 0);
  for (let row = Math.floor((y - radius) / CELL); row * CELL <= y + radius; row += 1) {
    for (let column = Math.floor((x - radius) / CELL); column * CELL <= x + radius; column += 1) {
      const distance = Math.hypot(near(x, column), near(y, row));
      if (distance < radius) cells.push({ column, row, distance });
    }
  }
  return cells.sort((a, b) => a.distance - b.distance);
}

const boxOf = ({ column, row }) =>
  [column, row, column + 1, row + 1].map((index) => index * CELL).join(',');

function readObjects(objects, kinds) {
  return objects.map(({ kind, x, y, height, scale, rotation }) => {
    const { color, radius } = kinds.get(kind);
    return { kind, x: Number(x), y: Number(y), height, rotation, color, size: radius * scale };
  });
}

export function createObjects(app, view) {
  const layer = createObjectsLayer(view);
  const cells = new Map();       /* objects by "column,row"; null while they are asked for */
  let world = null;
  let asking = null;
  const rest = createRest(REST_MS, () => update());

  const reset = () => {
    asking?.abort();
    asking = new AbortController();
    cells.clear();
    world = app.world;
  };

  const show = (eye, wanted) => {
    const found = wanted.flatMap((cell) => cells.get(`${cell.column},${cell.row}`) ?? []);
    const distance = ({ x, y }) => (x - eye.x) ** 2 + (y - eye.y) ** 2;
    const nearest = found.toSorted((a, b) => distance(a) - distance(b));
    layer.show(nearest.slice(0, OBJECTS_MAX), eye);
  };

  const fetchCell = async (cell, { signal }) => {
    const name = `${cell.column},${cell.row}`;
    cells.set(name, null);
    try {
      const { objects } = await getJson(`${pinned(world)}/objects?bbox=${boxOf(cell)}`, signal);
      const kinds = new Map(world.objects.map((kind) => [kind.name, kind]));
      if (!signal.aborted) cells.set(name, readObjects(objects, kinds));
    } catch {
      /* Too many, or no answer: the place has no objects until the eye comes again. */
      if (!signal.aborted) cells.set(name, []);
    }
  };

  /* Forgets what is far, asks for what is near, and shows it as it comes. */
  const update = async () => {
    if (world !== app.world) reset();
    const eye = eyeOf(view.map, view.square());
    const above = eye.altitude - (view.groundAt(eye) ?? 0);
    const radius = Math.sqrt(Math.max(0, RADIUS ** 2 - above ** 2));
    const wanted = world.objects?.length > 0 && radius > 0 ? cellsAround(eye, radius) : [];
    const names = new Set(wanted.map(({ column, row }) => `${column},${row}`));
    for (const name of cells.keys()) if (!names.has(name) && cells.get(name)) cells.delete(name);
    show(eye, wanted);
    const missing = wanted.filter(({ column, row }) => !cells.has(`${column},${row}`));
    await Promise.all(missing.map(async (cell) => {
      await fetchCell(cell, asking);
      rest.later();
    }));
  };
  return {
    layer,
    /* The eye may have moved, or the world changed. */
    update: rest.later,
    /* Which share of them is drawn; the nearest ones stay. */
    setShare: layer.setShare,
    setLight: layer.setLight,
    remove() {
      rest.end();
      asking?.abort();
    },
  };
}
