/* The toolbar and what its buttons open: drawers, one at a time, beside the map or, on phones, at
 * its lower edge; and modes, which cover the map until they are left. A tool's code is loaded when
 * it is opened for the first time. */

import { createDismissal } from './dismissal.js';
import { h, icon, iconButton, retryStyles, stylesLoaded } from './dom.js';
import { tr } from '../texts/texts.js';

const NARROW = '(max-width: 40rem)'; /* drawers are at the lower edge, as style.css has it */
const LATE_MS = 400;   /* of loading, after which the page says so */

/* A tool of the table in tools.js, with its button and, once it was opened, what it shows. */
function createEntry(tool, toggle) {
  const button = h('button', {
    type: 'button', id: `tool-${tool.name}`, title: tool.title, 'aria-label': tool.title,
    'aria-expanded': 'false', 'aria-controls': 'drawer', onclick: toggle,
  }, icon(tool.icon), h('span', { class: 'tool-name' }, tool.title));
  const content = h('div', { class: `tool ${tool.name}` });
  return { ...tool, button, content, heading: tool.title, part: null, failed: false };
}

/* Whether the keyboard has pressed a button: then the focus goes where the button leads. */
const pressedByKey = (element) => element.matches('button:focus-visible');

/* `tell(message)` hears that a tool's code is late or did not come; an empty text settles it. */
export function createDrawers(app, { toolbar, drawer, stage }, tell) {
  const entries = new Map();
  const heading = h('h2', { id: 'drawer-title' });
  const body = h('div', { class: 'drawer-body' });
  let open = null;
  let cameFrom = null;

  const close = () => {
    if (open === null) return;
    const entry = open;
    open = null;
    entry.button.setAttribute('aria-expanded', 'false');
    entry.part?.closed?.();
    app.left = {};
    drawer.hidden = true;
    drawer.className = '';
    (cameFrom?.isConnected ? cameFrom : entry.button)?.focus({ preventScroll: true });
    app.events.emit('drawer', null);
  };

  /* The first world, without which no tool has anything to show. */
  const worldShown = () => new Promise((resolve) => {
    if (app.world !== null) {
      resolve();
      return;
    }
    const end = app.on('shown', () => {
      end();
      resolve();
    });
  });

  const load = async (entry) => {
    const late = setTimeout(() => tell(tr('Loading “{0}” …', entry.title)), LATE_MS);
    entry.content.ariaBusy = 'true';
    try {
      const [module] = await Promise.all([entry.load(), worldShown()]);
      if (entry.part === null) {
        entry.content.replaceChildren();
        entry.part = module.create(app, entry.content) ?? {};
        await stylesLoaded();
      }
      entry.failed = false;
      tell('');
    } catch (error) {
      console.error(error);
      entry.failed = true;
      const again = h('button', {
        type: 'button', class: 'text', onclick: () => show(entry.name),
      }, tr('Try again'));
      entry.content.replaceChildren(
        h('p', { class: 'note', role: 'alert' }, tr('This did not load.')),
        h('div', { class: 'actions' }, again));
      tell(tr('“{0}” did not load.', entry.title));
    }
    clearTimeout(late);
    entry.content.ariaBusy = null;
  };

  const showMode = async (entry, on) => {
    entry.button.setAttribute('aria-pressed', String(on));
    entry.content.hidden = !on;
    if (on) retryStyles();
    if (entry.part === null && on) await load(entry);
    if (entry.content.hidden !== !on) return;
    if (on && entry.part === null) showMode(entry, false);
    else entry.part?.[on ? 'opened' : 'closed']?.();
  };

  /* The server answers again: what did not load comes, and no message stays. */
  app.on('mended', () => {
    retryStyles();
    const failed = [...entries.values()].filter((entry) => entry.failed);
    for (const entry of failed) entry.failed = false;
    if (failed.length > 0) tell('');
    if (failed.includes(open)) show(open.name);
  });

  const addMode = (tool) => {
    const entry = createEntry(tool, () => showMode(entry, entry.content.hidden));
    entry.button.removeAttribute('aria-expanded');
    entry.button.removeAttribute('aria-controls');
    entry.button.setAttribute('aria-pressed', 'false');
    entry.content.setAttribute('role', 'region');
    entry.content.setAttribute('aria-label', tool.title);
    entry.content.hidden = true;
    stage.append(entry.content);
    return entry;
  };

  const show = async (name, detail) => {
    const entry = entries.get(name);
    if (entry.mode) {
      await showMode(entry, true);
      return;
    }
    retryStyles();
    if (open !== entry) {
      const from = document.activeElement;
      const byKey = pressedByKey(from);
      if (open === null || (byKey && !drawer.contains(from))) cameFrom = from;
      const { extras } = app;
      open?.part?.closed?.();
      app.left = Object.fromEntries(Object.entries(extras).filter(([key]) => !(key in app.extras)));
      open?.button.setAttribute('aria-expanded', 'false');
      open = entry;
      heading.textContent = entry.heading;
      drawer.className = entry.wide ? 'wide' : '';
      body.replaceChildren(entry.content);
      drawer.hidden = false;
      entry.button.setAttribute('aria-expanded', 'true');
      if (byKey) closeButton.focus();
      app.events.emit('drawer', name);
    }
    if (entry.part === null) await load(entry);
    if (open === entry) entry.part?.opened?.(detail);
  };

  /* An extra opens its tool; a mode is left where it is missing. */
  const followAddress = (entry) => {
    const wanted = app.extras[entry.extra] !== undefined;
    if (!entry.mode) {
      if (wanted) show(entry.name);
    } else if (wanted === entry.content.hidden) {
      showMode(entry, wanted);
    }
  };

  /* Escape closes the drawer, and else leaves a mode; not where text is typed beside them. */
  const escape = ({ key, target, defaultPrevented }) => {
    if (key !== 'Escape' || defaultPrevented) return;
    if (!drawer.contains(target) && target.matches('input, textarea')) return;
    const mode = [...entries.values()].find((entry) => entry.mode && !entry.content.hidden);
    if (open !== null) {
      close();
    } else if (mode) {
      showMode(mode, false);
      mode.button.focus({ preventScroll: true });
    }
  };

  const closeButton = iconButton('close', tr('Close'), close, { id: 'drawer-close' });
  const header = h('header', {}, heading, closeButton);
  drawer.append(header, body);
  createDismissal({ drawer, header, narrow: NARROW }, close);
  document.addEventListener('keydown', escape);

  return {
    /* A tool as tools.js describes it. */
    add(tool) {
      const entry = tool.mode ? addMode(tool)
        : createEntry(tool, () => (open === entry ? close() : show(tool.name)));
      entries.set(tool.name, entry);
      entry.button.hidden = tool.shown === false;
      toolbar.append(entry.button);
      if (tool.extra) app.on('extras', () => followAddress(entry));
    },
    /* Opens a tool; what it is told goes to its opened(detail). */
    open: show,
    /* Opens a tool, or closes it if it is open. */
    toggle: (name) => (open === entries.get(name) ? close() : show(name)),
    /* Closes the drawer that is open; leave(name) leaves a mode. */
    close,
    leave: (name) => showMode(entries.get(name), false),
    /* Gives the drawer of a tool a heading that says more than its title. */
    entitle(name, text) {
      const entry = entries.get(name);
      entry.heading = text;
      if (open === entry) heading.textContent = text;
    },
    titleOf: (name) => entries.get(name).title,
    /* The name of the open tool, or null. */
    current: () => open?.name ?? null,
    /* Whether a tool has its button in the toolbar. */
    setShown(name, shown) {
      entries.get(name).button.hidden = !shown;
      if (!shown && open === entries.get(name)) close();
    },
  };
}
