/* The switch "Overview" of the panel. The code of the small map is loaded when it is switched on;
 * the address keeps that: ?overview=1. */

import { tr } from '../texts/texts.js';

const EXTRA = 'overview';

async function load(app) {
  const { createOverview } = await import('./overview.js');
  return createOverview(app);
}

/* `input` is the box of the switch. */
export function startOverview(app, input) {
  let overview = null;
  const follow = async () => {
    const on = app.extras[EXTRA] !== undefined;
    input.checked = on;
    if (overview === null && !on) return;
    try {
      overview ??= load(app);
      const { setShown } = await overview;
      setShown(app.extras[EXTRA] !== undefined);
    } catch (error) {
      overview = null; /* the next press loads it again */
      input.checked = false;
      app.status.set('tool', tr('The overview did not load: {0}', error.message));
    }
  };
  input.addEventListener('change', () => {
    app.setExtra(EXTRA, input.checked ? '1' : null);
    app.status.set('tool', '');
    follow();
  });
  app.on('extras', follow);
}
