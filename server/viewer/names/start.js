/* The switch "Names" of the panel. The code of the names is loaded when a world that has some is
 * shown with them; nothing is asked for otherwise. The address keeps that they are off: ?names=0.
 * Maps whose colours are code have neither names nor the switch. */

import { findStyle, isEncoded } from '../app/api.js';

const EXTRA = 'names';
const OFF = '0';

async function load(app) {
  const { createNames } = await import('./names.js');
  return createNames(app);
}

/* `field` is the row of the switch, `input` its box. */
export function startNames(app, { field, input }) {
  let names = null;
  let loading = null;

  const follow = async () => {
    if (app.world === null) return;
    const has = app.world.names_fingerprint !== null
      && !isEncoded(findStyle(app.world, app.style));
    const on = () => has && app.extras[EXTRA] !== OFF;
    field.hidden = !has;
    input.checked = app.extras[EXTRA] !== OFF;
    if (names === null && on()) {
      loading ??= load(app);
      try {
        names = await loading;
      } catch {
        loading = null; /* the next view asks for it again */
        return;
      }
      app.names = names;
      follow();
      return;
    }
    names?.setShown(on());
  };
  input.addEventListener('change', () => {
    app.setExtra(EXTRA, input.checked ? null : OFF);
    follow();
  });
  app.on('shown', follow);
  app.on('extras', follow);
  app.on('loaded', () => names === null && follow());
}
