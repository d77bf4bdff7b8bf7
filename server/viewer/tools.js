/* The tools of the page, in the order of the toolbar. A tool's module is loaded when it is used; it
 * has create(app, element), which fills the element of its drawer once and gives {opened(detail),
 * closed()}, both optional. `wide` drawers take half of the window; a `mode` has no drawer: its
 * element covers the map. `shown: false`: the button is hidden until setShown(), or always, where
 * the panel has a button for it. `extra`: a text of this name in the address opens the
 * tool; a mode is open as long as the address has it. */

import { loadTexts, tr } from './texts/texts.js';

export const tools = [
  {
    name: 'worlds', title: tr('Worlds'), icon: 'worlds', shown: false,
    load: () => import('./worlds/worlds.js'),
  },
  {
    name: 'seeds', title: tr('Seeds'), icon: 'seeds', shown: false,
    load: () => import('./seeds/seeds.js'),
  },
  { name: 'card', title: tr('This place'), icon: 'pin', load: () => import('./card/card.js') },
  { name: 'find', title: tr('Find'), icon: 'find', load: () => import('./find/find.js') },
  {
    name: 'measure', title: tr('Measure'), icon: 'measure', extra: 'measure',
    load: () => import('./measure/measure.js'),
  },
  {
    name: 'stats', title: tr('Statistics'), icon: 'stats', extra: 'stats',
    load: () => import('./stats/stats.js'),
  },
  {
    name: 'scene', title: '3-D', icon: 'scene', mode: true, extra: 'pitch',
    load: () => import('./scene/scene.js'),
  },
  { name: 'time', title: tr('Time'), icon: 'time', load: () => import('./time/time.js'),
    shown: false },
  {
    name: 'overlays', title: tr('Grids and markers'), icon: 'overlays',
    load: () => import('./overlays/overlays.js'),
  },
  { name: 'compare', title: tr('Compare'), icon: 'compare', load: () =>
    import('./compare/compare.js') },
  { name: 'poster', title: tr('Poster'), icon: 'poster', load: () => import('./poster/poster.js') },
  { name: 'take', title: tr('Take away'), icon: 'take', load: () => import('./take/take.js') },
  {
    name: 'lab', title: tr('Lab'), icon: 'lab', wide: true, extra: 'lab',
    async load() {
      await loadTexts('lab');
      return import('./lab/lab.js');
    },
  },
  { name: 'about', title: tr('About'), icon: 'about', load: () => import('./about/about.js') },
];
