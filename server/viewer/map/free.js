/* The part of the map that nothing covers: beside the panel, the drawer and the toolbar or, on
 * phones, between them. */

const WIDE = 0.6; /* what is so wide, of the map, leaves room above or below it only */
const LEAST = 40; /* pixels a side that the free part has in any case */

const middle = (low, high) => (low + high) / 2;

/* The rectangle of pixels that is left of `free` beside a box. */
function beside(free, box, width) {
  if (box.width > WIDE * width) {
    if (middle(box.top, box.bottom) < middle(free.top, free.bottom)) {
      return { ...free, top: Math.max(free.top, box.bottom) };
    }
    return { ...free, bottom: Math.min(free.bottom, box.top) };
  }
  if (middle(box.left, box.right) < middle(free.left, free.right)) {
    return { ...free, left: Math.max(free.left, box.right) };
  }
  return { ...free, right: Math.min(free.right, box.left) };
}

/* {left, top, right, bottom} in pixels of a Leaflet map, beside the elements with these ids. */
export function freeBox(map, covers = ['panel', 'drawer', 'toolbar']) {
  const own = map.getContainer().getBoundingClientRect();
  const whole = { left: own.left, top: own.top, right: own.right, bottom: own.bottom };
  const { left, top, right, bottom } = covers
    .map((id) => document.getElementById(id).getBoundingClientRect())
    .filter(({ width }) => width > 0) /* what is hidden has none */
    .reduce((free, box) => beside(free, box, own.width), whole);
  return {
    left: left - own.left,
    top: top - own.top,
    right: Math.max(right, left + LEAST) - own.left,
    bottom: Math.max(bottom, top + LEAST) - own.top,
  };
}

/* The nearest point to `to` of a box, on the way from its middle, and degrees clockwise from east;
 * null if `to` is in the box. Points are {x, y} in pixels. */
export function pointAtEdge({ left, top, right, bottom }, to) {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  const [dx, dy] = [to.x - x, to.y - y];
  const part = Math.min((right - left) / 2 / Math.abs(dx), (bottom - top) / 2 / Math.abs(dy));
  if (part >= 1) return null;
  return { x: x + part * dx, y: y + part * dy, degrees: Math.atan2(dy, dx) * 180 / Math.PI };
}
