/* The shapes of objects, as triangles: for each corner x, y (up) and z in radii of the object, the
 * normal, and 1 where it has the object's colour or 0 where it is trunk. Few triangles, for there
 * are thousands of objects. */

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
  return triangles.flatMap((triangle) => withNormal(triangle, leaf));
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
  ...turned([{ radius: 1, up: 0.6 }, { radius: 0.55, up: 1.9 }, { radius: 0, up: 2.8 }], 6, 1),
  ...turned([{ radius: 0.72, up: 2 }, { radius: 0, up: 4.4 }], 6, 1),
];

const broadleaf = () => [
  ...trunk(0.11, 1.1),
  ...turned([
    { radius: 0, up: 0.8 }, { radius: 0.85, up: 1.1 }, { radius: 1, up: 1.8 },
    { radius: 0.6, up: 2.5 }, { radius: 0, up: 2.7 },
  ], 6, 1),
];

const umbrella = () => [
  ...trunk(0.08, 1.2),
  ...turned([{ radius: 0.2, up: 1 }, { radius: 1, up: 1.35 }, { radius: 0, up: 1.7 }], 7, 1),
];

const mound = () => turned(
  [
    { radius: 0.9, up: -0.3 }, { radius: 1, up: 0.3 }, { radius: 0.6, up: 0.85 },
    { radius: 0, up: 1 },
  ], 5, 1);

/* By words in the names of kinds; what has none is a broadleaf tree. */
const SHAPES = [
  { words: /conifer|spruce|fir|pine|larch|cedar/, corners: conifer },
  { words: /acacia|umbrella|palm/, corners: umbrella },
  { words: /shrub|bush|rock|stone|boulder|grass|fern|heather|cactus|scrub/, corners: mound },
  { words: /(?:)/, corners: broadleaf },
];
export const CORNER_FLOATS = 7;

/* The number of a kind's shape, and each shape's corners. */
export const shapeOf = (kind) => SHAPES.findIndex(({ words }) => words.test(kind));
export const shapes = () => SHAPES.map(({ corners }) => new Float32Array(corners()));
