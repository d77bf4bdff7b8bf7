/* What grows and lies on the ground near the eye, on foot: tufts where grass and herbs cover the
 * ground and pebbles where it is stony, by the world's materials. Each stands at a place that its
 * square of the ground decides, so it is there again when one comes back. */

import { pinned, request } from '../app/api.js';
import { createRest } from '../app/rest.js';
import { eyeOf } from './camera.js';
import { createObjectsLayer } from './objects_layer.js';
import { numbersOf, thingOf } from './things.js';

const SIZE = 32;          /* metres, of the chunks of materials */
const RADIUS = 15;        /* metres around the eye */
const SPACING = 0.6;      /* metres a side of the squares that have one thing each */
const MOVE = 3;           /* metres that the eye goes until other ground is covered */
const RISE = 0.02;        /* metres, of the ground, that are seen below a tuft */
const CHUNKS_MAX = 32;    /* that are kept */
const ABOVE_MAX = 12;     /* metres of the eye above the ground: higher, nothing of it is seen */
const REST_MS = 150;

export function createGround(app, view, isWalking) {
  const layer = createObjectsLayer(view, 'ground-things');
  const chunks = new Map();   /* bytes of materials by "cx,cy"; null while they are asked for */
  let world = null;
  let asking = null;
  let centre = null;          /* where the eye was when things were laid out, and the ground there */
  const rest = createRest(REST_MS, () => update());

  const reset = () => {
    asking?.abort();
    asking = new AbortController();
    chunks.clear();
    world = app.world;
    centre = null;
  };
  const load = async (cx, cy, { signal }) => {
    const name = `${cx},${cy}`;
    chunks.set(name, null);
    try {
      const answer = await request(`${pinned(world)}/chunks/${cx}/${cy}.r8?layers=materials`
        + `&size=${SIZE}&step=1`, { signal });
      chunks.set(name, new Uint8Array(await answer.arrayBuffer()));
    } catch {
      if (!signal.aborted) chunks.set(name, new Uint8Array());   /* this ground stays bare */
    }
    if (signal.aborted) return;
    centre = null;
    rest.later();
  };
  const sharesAt = (x, y) => {
    const [cx, cy] = [x, y].map((metres) => Math.floor(metres / SIZE));
    const bytes = chunks.get(`${cx},${cy}`);
    if (!bytes?.length) return [];
    const at = Math.floor(y - cy * SIZE) * (SIZE + 1) + Math.floor(x - cx * SIZE);
    return world.materials.map((_, i) => bytes[i * (SIZE + 1) ** 2 + at]);
  };

  const thingIn = (column, row, eye) => {
    const numbers = numbersOf(column, row);
    const [x, y] = [(column + numbers[2]) * SPACING, (row + numbers[3]) * SPACING];
    const distance = Math.hypot(x - eye.x, y - eye.y);
    if (distance > RADIUS) return null;
    const thing = thingOf(world.materials, sharesAt(x, y), numbers);
    const height = thing && view.groundAt({ x, y });
    if (height === null) return null;
    /* The outermost ones are small, so that none springs up. */
    const grown = Math.min(1, 3 * (1 - distance / RADIUS));
    return { ...thing, x, y, height: height / view.exaggeration(), distance,
      rotation: 360 * numbers[4], size: thing.size * grown };
  };
  const layOut = (eye) => {
    centre = { x: eye.x, y: eye.y, ground: view.groundAt(eye) };
    const things = [];
    const [first, last] = [-RADIUS, RADIUS].map((by) => ({
      column: Math.floor((eye.x + by) / SPACING), row: Math.floor((eye.y + by) / SPACING) }));
    for (let row = first.row; row <= last.row; row += 1) {
      for (let column = first.column; column <= last.column; column += 1) {
        const thing = thingIn(column, row, eye);
        if (thing) things.push(thing);
      }
    }
    layer.show(things.sort((a, b) => a.distance - b.distance), eye);
  };

  const update = () => {
    if (world !== app.world) reset();
    const eye = eyeOf(view.map, view.square());
    const ground = view.groundAt(eye);
    if (!isWalking() || world.materials.length === 0 || ground === null
      || eye.altitude - ground > ABOVE_MAX) {
      centre = null;
      layer.show([], eye);
      return;
    }
    const wanted = [-RADIUS, RADIUS].flatMap((dy) => [-RADIUS, RADIUS].map((dx) =>
      [eye.x + dx, eye.y + dy].map((metres) => Math.floor(metres / SIZE))));
    const near = new Set(wanted.map((cell) => cell.join()));
    if (chunks.size > CHUNKS_MAX) {
      for (const name of chunks.keys()) if (!near.has(name) && chunks.get(name)) chunks.delete(name);
    }
    for (const [cx, cy] of wanted) if (!chunks.has(`${cx},${cy}`)) load(cx, cy, asking);
    if (centre === null || Math.hypot(eye.x - centre.x, eye.y - centre.y) > MOVE) layOut(eye);
  };
  return {
    layer,
    update: rest.later,
    /* Ground may have come that is finer, or it was lifted: then things stand on it anew. */
    settle() {
      if (centre === null || Math.abs(view.groundAt(centre) - centre.ground) < RISE) return;
      centre = null;
      rest.later();
    },
    setShare: layer.setShare,
    setLight: layer.setLight,
    remove() {
      rest.end();
      asking?.abort();
    },
  };
}
