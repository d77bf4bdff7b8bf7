/* The nearest places of a condition, one after the other: the server searches circles, each four times
 * as wide as the one before, on a grid that becomes wider with them. Nothing here knows the page. */

import { wayTo } from '../app/place.js';

export const RADIUS_FIRST = 1024;
export const RADIUS_MOST = 2 ** 24;
const GROWTH = 4;
const LIMIT = 100; /* places that the server gives at once */
/* Two places of one search are at least this share of the circle's radius apart. */
const APART = 1 / 16;

/* `apart` is the least distance of two places in metres. `ask({radius, limit, apart, min_distance}, signal)` gives what /locate answers. next(signal) gives
 * {place, step} or {place: null}, and `incomplete` if the server could not look everywhere;
 * looked(radius) hears of each circle before it is searched. */
export function createSearch(from, apart, ask, looked) {
  const found = [];
  let radius = RADIUS_FIRST;
  let inner = 0; /* what lies nearer was searched by the circle before */
  let here = 0; /* places of the present circle that are found */

  const gap = () => Math.max(apart, radius * APART);
  const isNew = (place) => found.every((other) => wayTo(other, place).distance >= gap());

  return {
    found,
    async next(signal) {
      let incomplete = false;
      for (;;) {
        looked(radius);
        const answer = await ask({ radius, limit: here + 1, apart: gap(), min_distance: inner }, signal);
        incomplete ||= !answer.complete;
        const fresh = answer.places.slice(here);
        here += fresh.length;
        if (here === LIMIT) {
          inner = fresh[0].distance;
          here = 0;
        }
        const place = fresh.find(isNew);
        if (place !== undefined) {
          found.push(place);
          return { place, step: answer.step, incomplete };
        }
        if (fresh.length > 0) continue;
        if (radius >= RADIUS_MOST) return { place: null, incomplete };
        inner = radius;
        here = 0;
        radius = Math.min(radius * GROWTH, RADIUS_MOST);
      }
    },
  };
}
