/* Shows grids and markers that nobody opened the drawer for: those in the address and those of the
 * server's operator. Files that are dropped on the page open the drawer. The code behind it is
 * loaded when one of these happens. */

import { createRecovery } from '../app/recovery.js';
import { tr } from '../texts/texts.js';

const EXTRAS = ['chunks', 'tilegrid', 'geojson'];

function watchDrops(app) {
  const show = (on) => document.body.classList.toggle('dropping', on);
  const hasFiles = ({ dataTransfer }) => dataTransfer?.types.includes(tr('Files'));
  addEventListener('dragover', (event) => {
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    show(true);
  });
  addEventListener('dragleave', ({ relatedTarget }) => {
    if (relatedTarget === null) show(false);
  });
  addEventListener('drop', (event) => {
    show(false);
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    app.drawers.open('overlays', { files: [...event.dataTransfer.files] });
  });
}

export function startOverlays(app) {
  let wanted = false;
  let failed = false;
  const follow = async () => {
    const { overlaysOf } = await import('./state.js');
    recovery.done();
    if (failed) app.status.set('tool', '');
    failed = false;
    overlaysOf(app).follow();
  };
  const recovery = createRecovery(follow);
  watchDrops(app);
  app.on('extras', () => {
    wanted ||= Boolean(app.worlds?.page?.markers) || EXTRAS.some((name) => name in app.extras);
    if (!wanted) return;
    follow().catch(() => {
      failed = true;
      app.status.set('tool', tr('Grids and markers did not load. Trying again.'));
      recovery.start();
    });
  });
}
