/* The version before on the left of a divider over the map, the present one on its right. */

import { findStyle, tileTemplate } from '../app/api.js';
import { createSwipe } from '../map/swipe.js';
import { tr } from '../texts/texts.js';

/* show(world) begins with the world before; hide() ends. */
export function createCompare(app) {
  const swipe = createSwipe(app, {
    pane: 'lab-before', label: tr('Divider between the version before and the present one'),
  });
  return {
    show(before) {
      swipe.clear();
      swipe.show({
        template() {
          const style = findStyle(before, app.style) ? app.style : 'relief';
          return tileTemplate(before, style, app.time);
        },
        texts: () => [tr('The version before'), tr('Now')],
        named: () => true,
      });
    },
    hide: swipe.hide,
  };
}
