/* The comparison on the map: what is on the left of the divider follows the address (?beside=…),
 * and goes on when the drawer is closed. */

import { Unreachable, findStyle, getWorld, tileTemplate } from '../app/api.js';
import { createLatest } from '../app/app.js';
import { removeChip, showChip } from '../map/chips.js';
import { createSwipe } from '../map/swipe.js';
import { otherText, parseOther } from './other.js';
import { tr } from '../texts/texts.js';

const EXTRA = 'beside';
const CHIP = 'compare';
const BAD = tr('The address has no valid world to compare with.');

/* What a side shows: the parts in which it differs from the other, or else its world. */
function sideText(own, against) {
  const style = findStyle(own.world, own.style);
  const seed = own.world.chosenSeed ?? own.world.seed;
  const parts = [
    own.world.name === against.world.name ? '' : own.world.title,
    own.world.name === against.world.name && own.world.fingerprint !== against.world.fingerprint
      ? tr('seed {0}', seed) : '',
    own.style === against.style ? '' : style?.title || own.style,
    (own.time ?? 0) === (against.time ?? 0) ? '' : `${own.time ?? 0}\u202fs`,
  ].filter(Boolean);
  return parts.join(', ') || own.world.title;
}

function createState(app) {
  const latest = createLatest();
  const swipe = createSwipe(app, {
    pane: 'beside', label: tr('Divider between both maps'),
  });
  const changed = new Set();
  let other = null;  /* what the address says */
  let world = null;  /* its descriptor; null for that of the map */
  let shown = null;  /* the text of what is shown */

  /* The left side as it is now: {world, style, time}. */
  const left = () => {
    const own = world ?? app.world;
    const wanted = [other.style, app.style, 'relief'].find((name) => name && findStyle(own, name));
    return { world: own, style: wanted ?? own.styles[0].name, time: other.time ?? app.time };
  };
  const right = () => ({ world: app.world, style: app.style, time: app.time });
  const texts = () => [sideText(left(), right()), sideText(right(), left())];

  const hide = () => {
    latest(async () => null);
    other = world = shown = null;
    swipe.hide();
    removeChip(CHIP);
    for (const listener of changed) listener();
  };
  const remove = () => app.setExtra(EXTRA, null);
  const show = () => {
    swipe.show({
      template() {
        const { world: own, style, time } = left();
        return tileTemplate(own, style, time);
      },
      texts,
      named: () => left().world.fingerprint === app.world.fingerprint,
    });
    showChip(CHIP, tr('Beside: {0}', texts()[0]), () => {
      remove();
      hide();
    });
    for (const listener of changed) listener();
  };
  app.on('shown', () => shown !== null && show());

  return {
    other: () => other,
    /* Calls listener() when something else is compared with. */
    onChange: (listener) => changed.add(listener),
    /* Compares with what the address says. Throws Unreachable; what the server refuses is said. */
    async follow() {
      const text = app.extras[EXTRA];
      if (text === undefined) {
        if (other !== null) hide();
        return;
      }
      if (text === shown) return;
      const wanted = parseOther(text);
      if (wanted === null) {
        hide();
        app.status.set('tool', BAD);
        return;
      }
      try {
        const { world: name, seed } = wanted;
        const found = name === null ? { own: null }
          : await latest(async (signal) => ({ own: await getWorld(name, seed, signal) }));
        if (found === null) return;
        [other, world, shown] = [wanted, found.own, text];
        app.status.set('tool', '');
        show();
      } catch (error) {
        if (error instanceof Unreachable) throw error;
        hide();
        app.status.set('tool', tr('Not compared: {0}', error.message));
      }
    },
    /* Compares with something else, or with nothing (null). */
    choose(wanted) {
      const text = wanted === null ? null : otherText(wanted);
      app.setExtra(EXTRA, text || null);
      return this.follow();
    },
    /* Shows on the map what is on the left, and compares with what was there. */
    swap() {
      const [from, to] = [left(), right()];
      const back = {
        world: to.world.name, seed: to.world.chosenSeed, style: to.style, time: to.time,
      };
      app.setExtra(EXTRA, otherText(back));
      app.step(() => {
        app.time = from.time;
        app.setExtra('t', from.time === null ? null : String(from.time));
        app.show(from.world, from.style);
      });
      return this.follow();
    },
  };
}

let state = null;
export function comparisonOf(app) {
  state ??= createState(app);
  return state;
}
