/* Elements of the page, made by functions: nothing here is ever parsed as HTML. */

import { tr } from '../texts/texts.js';

const SVG = 'http://www.w3.org/2000/svg';

/* What the icons consist of: paths on a square of 20, drawn with round lines. */
const ICONS = {
  check: 'M4 10.5l4 4 8-9',
  close: 'M5 5l10 10M15 5L5 15',
  find: 'M13 13l4 4M14.5 8.5a6 6 0 1 1-12 0 6 6 0 0 1 12 0z',
  measure: 'M2.5 13.5l11-11 4 4-11 11zM6 10l2 2M9 7l2 2M12 4l1.5 1.5',
  scene: 'M10 2.5l7 4v7l-7 4-7-4v-7zM3 6.5l7 4 7-4M10 10.5v7',
  time: 'M17.5 10a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0zM10 5.5V10l3 2',
  overlays: 'M3 3h14v14H3zM3 7.7h14M3 12.3h14M7.7 3v14M12.3 3v14',
  lab: 'M8 2.5v5L3.5 15a1.7 1.7 0 0 0 1.5 2.5h10a1.7 1.7 0 0 0 1.5-2.5L12 7.5v-5M6.5 2.5h7M5.8 12h8.4',
  take: 'M10 3v9M6 8.5l4 4 4-4M3.5 14.5v2.5h13v-2.5',
  poster: 'M5.5 7V2.5h9V7M5.5 14H3V7h14v7h-2.5M5.5 11.5h9v6h-9z',
  about: 'M17.5 10a7.5 7.5 0 1 1-15 0 7.5 7.5 0 0 1 15 0zM10 9v4.5M10 6.3v.1',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  link: 'M8.5 11.5l3-3M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2',
  play: 'M6 3.5l10.5 6.5L6 16.5z',
  pause: 'M6.5 4v12M13.5 4v12',
  pin: 'M10 18s5.5-5.5 5.5-10a5.5 5.5 0 0 0-11 0C4.5 12.5 10 18 10 18zM10 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z',
  next: 'M4 10h12M11 5l5 5-5 5',
  map: 'M3 5l4.7-2 4.6 2L17 3v12l-4.7 2-4.6-2L3 17zM7.7 3v12M12.3 5v12',
  walk: 'M11 4.5a1.2 1.2 0 1 0 0-2.4 1.2 1.2 0 0 0 0 2.4zM7 9.5l3-2.5 1.5 4-3 2.5-2 4M11.5 11l2 2.5.5 4M10 7l2.5 2.5 2.5.5',
  compass: 'M10 1.5l5.5 16.5L10 14.5 4.5 18z',
  plus: 'M10 4v12M4 10h12',
  minus: 'M4 10h12',
  forward: 'M10 16V4M5 9l5-5 5 5',
  back: 'M10 4v12M5 11l5 5 5-5',
  left: 'M7 4L3 8l4 4M3 8h9a5 5 0 0 1 0 9',
  right: 'M13 4l4 4-4 4M17 8H8a5 5 0 0 0 0 9',
  stretch: 'M2 10h16M6 6l-4 4 4 4M14 6l4 4-4 4',
  undo: 'M7 4L3 8l4 4M3 8h9a5 5 0 0 1 0 10H8',
  redo: 'M13 4l4 4-4 4M17 8H8a5 5 0 0 0 0 10h4',
  eye: 'M2 10c4-6.5 12-6.5 16 0-4 6.5-12 6.5-16 0zM12.3 10a2.3 2.3 0 1 1-4.6 0 2.3 2.3 0 0 1 4.6 0',
  drop: 'M10 2.5c3 4 5 6.3 5 9.3a5 5 0 0 1-10 0c0-3 2-5.3 5-9.3z',
  rename: 'M4 16l.8-3.4L13.5 4l2.6 2.6-8.7 8.6zM11.5 6l2.6 2.6',
  seeds: 'M10 17V9M10 11C10 7 7 5.5 3.5 5.5 3.5 9 6 11 10 11zM10 9c0-3.5 2.5-5 6.5-5C16.5 7.5 14 9 10 9z',
  worlds: 'M3 3.5h6v5.5H3zM11 3.5h6v5.5h-6zM3 11h6v5.5H3zM11 11h6v5.5h-6z',
  compare: 'M10 2.5v15M3 4.5h4.5M3 15.5h4.5M3 4.5v11M12.5 4.5H17v11h-4.5M4.8 10h.1M15 10h.1',
  sun: 'M13.5 10a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M4.2 15.8l1.4-1.4M14.4 5.6l1.4-1.4',
  stats: 'M3 17h14M5 14V9M10 14V3.5M15 14V6.5',
  remove: 'M4 6h12M8 6V3.5h4V6M6 6l.7 11h6.6L14 6',
};

/* svg('path', { d: 'M0 0' }, child …): an element of a drawing. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

export function icon(name, size = 20) {
  return svg('svg', { viewBox: '0 0 20 20', width: size, height: size, 'aria-hidden': true },
    svg('path', { d: ICONS[name] }));
}

/* h('button', { type: 'button', class: 'text', onclick: act }, 'Words', child …): attributes that
 * are functions become listeners; null, undefined and false leave an attribute or a child out. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, String(value));
    }
  }
  element.append(...children.flat().filter((child) =>
    child !== null && child !== undefined && child !== false));
  return element;
}

/* A square button that shows an icon and is named by its title. */
export function iconButton(name, title, onclick, attributes = {}) {
  return h('button', { type: 'button', 'aria-label': title, title, onclick, ...attributes },
    icon(name));
}

/* Removes an item of a list in the drawer. If it has the focus, the item that follows gets it, or
 * the one before: its first element that `selector` finds. */
export function removeItem(item, selector) {
  const next = item.nextElementSibling ?? item.previousElementSibling;
  const focused = item.contains(document.activeElement);
  item.remove();
  if (focused) (next?.querySelector(selector) ?? document.getElementById('drawer-close')).focus();
}

const sheets = new Map();
const missing = new Set();
const PAUSES_MS = [1000, 4000];

/* Adds a stylesheet to the page; again after a pause, if it does not come. */
function addSheet(address, pauses) {
  return new Promise((resolve, reject) => {
    const link = h('link', { rel: 'stylesheet', href: address, onload: resolve, onerror() {
      const [pause, ...further] = pauses;
      link.remove();
      if (pause === undefined) reject(new Error(tr('{0} did not come.', address)));
      else setTimeout(() => resolve(addSheet(address, further)), pause);
    } });
    document.head.append(link);
  });
}

/* Waits for all stylesheets that were asked for, also those that do not come. */
export const stylesLoaded = () => Promise.allSettled(sheets.values());

/* A stylesheet of a tool, fetched once, when the tool is used: the promise of its arrival, which may
 * be ignored. One that has not come is asked for by the next use. */
export function loadStyle(address) {
  if (!sheets.has(address)) {
    const sheet = addSheet(address, PAUSES_MS);
    sheet.catch(() => {
      sheets.delete(address);
      missing.add(address);
    });
    missing.delete(address);
    sheets.set(address, sheet);
  }
  return sheets.get(address);
}

/* Asks again for the stylesheets that did not come. */
export function retryStyles() {
  for (const address of missing) loadStyle(address);
}
