/* The nearest places of a condition, one after the other: the server searches circles, each four
 * times as wide as the one before, on a grid that becomes wider with them. Nothing here knows the
 * page. */

import { wayTo } from '../app/place.js';

const RADIUS_FIRST = 1024;
export const RADIUS_MOST = 2 ** 24;
const GROWTH = 4;
const LIMIT = 100; /* places that the server gives at once */
/* Two places of one search are at least this share of the circle's radius apart. */
const APART = 1 / 16;

/* `apart` is the least distance of two places in metres. `ask({radius, limit, apart, min_distance},
 * signal)` gives what /locate answers. next(signal) gives {place, step} or {place: null}, and
 * `incomplete` if the server could not look everywhere; looked(radius) hears of each circle before
 * it is searched. */
export function createSearch(from, apart, ask, looked) {
  const found = [];
  let radius = RADIUS_FIRST;
  let inner = 0; /* what lies nearer was searched, or is too near to what was found */
  let here = 0; /* places that the server has given between the two */

  const gap = () => Math.max(apart, radius * APART);
  const isNew = (place) => found.every((other) => wayTo(other, place).distance >= gap());
  const startAt = (distance) => {
    if (distance <= inner) return;
    inner = distance;
    here = 0;
  };
  /* No place can be nearer than this and as far from the nearest one as it must. */
  const skip = () => startAt(gap() - Math.min(...found.map(({ distance }) => distance)));
  const widen = () => {
    startAt(radius);
    radius = Math.min(radius * GROWTH, RADIUS_MOST);
    skip();
  };

  return {
    found,
    async next(signal) {
      let incomplete = false;
      for (;;) {
        while (inner >= radius && radius < RADIUS_MOST) widen();
        looked(radius);
        const circle = { radius, limit: here + 1, apart: gap(), min_distance: inner };
        const answer = await ask(circle, signal);
        incomplete ||= !answer.complete;
        const place = answer.places[here];
        here = answer.places.length;
        if (here === LIMIT) startAt(place.distance);
        if (place !== undefined && isNew(place)) {
          found.push(place);
          skip();
          return { place, step: answer.step, incomplete };
        }
        if (place === undefined && radius === RADIUS_MOST) return { place: null, incomplete };
        if (place === undefined) widen();
      }
    },
  };
}
