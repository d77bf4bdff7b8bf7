/* The shapes of objects, as triangles: for each corner x, y (up) and z in radii of the object, the
 * normal, and what it is made of: 0 trunk, 1 leaves, 0.5 what has the object's colour without leaves.
 * Few triangles, for there are thousands of objects. */

const LEAVES = 1;
const PLAIN = 0.5;

/* A solid of revolution: rings of {radius, up} from below to above, `sides` around. */
function turned(rings, sides, leaf) {
  const corner = ({ radius, up }, index) => {
    const angle = (2 * Math.PI * index) / sides;
    return [radius * Math.cos(angle), up, radius * Math.sin(angle)];
  };
  const triangles = [];
  for (let ring = 0; ring + 1 < rings.length; ring += 1) {
    for (let side = 0; side < sides; side += 1) {
      const [a, b] = [corner(rings[ring], side), corner(rings[ring], side + 1)];
      const [c, d] = [corner(rings[ring + 1], side), corner(rings[ring + 1], side + 1)];
      if (rings[ring].radius > 0) triangles.push([a, c, b]);
      if (rings[ring + 1].radius > 0) triangles.push([b, c, d]);
    }
  }
  const middle = (rings[0].up + rings.at(-1).up) / 2;
  return triangles.flatMap((triangle) =>
    (leaf === LEAVES ? roundNormals(triangle, middle) : withNormal(triangle, leaf)));
}

/* Crowns look round: their normals point away from their middle. */
function roundNormals(triangle, middle) {
  return triangle.flatMap(([x, y, z]) => {
    const length = Math.hypot(x, y - middle, z) || 1;
    return [x, y, z, x / length, (y - middle) / length, z / length, LEAVES];
  });
}

/* Flat: every corner has the normal of its triangle. */
function withNormal([a, b, c], leaf) {
  const [u, v] = [b, c].map((point) => point.map((part, axis) => part - a[axis]));
  const normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
  const length = Math.hypot(...normal);
  return [a, b, c].flatMap((point) => [...point, ...normal.map((part) => part / length), leaf]);
}

/* Trunks go on below the ground, which is drawn less finely than it is. */
const trunk = (radius, up) => turned([{ radius, up: -1 }, { radius, up }], 4, 0);

const conifer = () => [
  ...trunk(0.12, 0.7),
  ...turned([{ radius: 0.15, up: 0.9 }, { radius: 1, up: 0.6 }, { radius: 0.3, up: 2.1 }], 7,
    LEAVES),
  ...turned([{ radius: 0.1, up: 1.9 }, { radius: 0.74, up: 1.6 }, { radius: 0.2, up: 3.1 }], 7,
    LEAVES),
  ...turned([{ radius: 0.1, up: 2.9 }, { radius: 0.5, up: 2.6 }, { radius: 0, up: 4.4 }], 7, LEAVES),
];

const broadleaf = () => [
  ...trunk(0.11, 1.1),
  ...turned([
    { radius: 0, up: 0.8 }, { radius: 0.85, up: 1.1 }, { radius: 1, up: 1.8 },
    { radius: 0.6, up: 2.5 }, { radius: 0, up: 2.7 },
  ], 8, LEAVES),
];

const umbrella = () => [
  ...trunk(0.08, 1.2),
  ...turned([{ radius: 0.2, up: 1 }, { radius: 1, up: 1.35 }, { radius: 0, up: 1.7 }], 8, LEAVES),
];

const MOUND = [
  { radius: 0.9, up: -0.3 }, { radius: 1, up: 0.3 }, { radius: 0.6, up: 0.85 }, { radius: 0, up: 1 },
];
const bush = () => turned(MOUND, 7, LEAVES);
const stone = () => turned(MOUND, 5, PLAIN);
const pebble = () => turned(
  [{ radius: 1, up: -0.2 }, { radius: 0.7, up: 0.5 }, { radius: 0, up: 0.6 }], 4, PLAIN);

/* Blades from a small circle, each a triangle that leans outwards; lit as the ground is. */
const BLADES = 9;
function tuft() {
  return Array.from({ length: BLADES }, (_, i) => {
    const angle = 2.4 * i;   /* radians: the golden angle spreads any number of them */
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const foot = 0.55 * Math.sqrt((i + 0.5) / BLADES);
    const [up, lean] = [1.1 + 0.5 * ((i * 0.37) % 1), foot + 0.5];
    const corners = [[c * foot - s * 0.09, -0.2, s * foot + c * 0.09],
      [c * foot + s * 0.09, -0.2, s * foot - c * 0.09], [c * lean, up, s * lean]];
    return corners.flatMap((corner) => [...corner, 0, 1, 0, PLAIN]);
  }).flat();
}

/* By words in the names of kinds; what has none is a broadleaf tree. */
const SHAPES = [
  { words: /^tuft$/, corners: tuft },
  { words: /^pebble$/, corners: pebble },
  { words: /conifer|spruce|fir|pine|larch|cedar/, corners: conifer },
  { words: /acacia|umbrella|palm/, corners: umbrella },
  { words: /rock|stone|boulder/, corners: stone },
  { words: /shrub|bush|grass|fern|heather|cactus|scrub/, corners: bush },
  { words: /(?:)/, corners: broadleaf },
];
export const CORNER_FLOATS = 7;

/* The number of a kind's shape, and each shape's corners. */
export const shapeOf = (kind) => SHAPES.findIndex(({ words }) => words.test(kind));
export const shapes = () => SHAPES.map(({ corners }) => new Float32Array(corners()));
