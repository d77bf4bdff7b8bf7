/* Shows a comparison that the address has (?beside=…); its code is loaded when it has one. */

import { createRecovery } from '../app/recovery.js';

export function startCompare(app) {
  let wanted = false;
  const follow = async () => {
    const { comparisonOf } = await import('./state.js');
    await comparisonOf(app).follow();
    recovery.done();
  };
  const recovery = createRecovery(follow);
  app.on('extras', () => {
    wanted ||= app.extras.beside !== undefined;
    if (wanted) follow().catch(() => recovery.start());
  });
}
