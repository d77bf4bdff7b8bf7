/* Tabs: one of several contents at a time, chosen by a row of buttons or the arrow keys. */

import { h } from '../app/dom.js';

/* `tabs` is a list of {name, title, content, chosen()}; the last is called when it is shown. */
export function createTabs(label, tabs) {
  const row = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label });
  const entries = tabs.map((tab) => {
    const panel = h('div', { class: 'tab-panel', id: `lab-${tab.name}`, role: 'tabpanel',
      'aria-labelledby': `lab-tab-${tab.name}`, hidden: true }, tab.content);
    const button = h('button', { type: 'button', class: 'text', id: `lab-tab-${tab.name}`,
      role: 'tab', 'aria-controls': panel.id, onclick: () => choose(tab.name) }, tab.title);
    return { ...tab, panel, button };
  });
  const choose = (name) => {
    for (const { name: own, panel, button, chosen } of entries) {
      const shown = own === name;
      panel.hidden = !shown;
      button.setAttribute('aria-selected', String(shown));
      button.tabIndex = shown ? 0 : -1;
      if (shown) chosen?.();
    }
  };
  row.append(...entries.map(({ button }) => button));
  row.addEventListener('keydown', ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const at = entries.findIndex(({ panel }) => !panel.hidden);
    const next = step && entries[(at + step + entries.length) % entries.length];
    if (!next) return;
    choose(next.name);
    next.button.focus();
  });
  choose(tabs[0].name);
  return {
    elements: [row, ...entries.map(({ panel }) => panel)],
    choose,
    chosen: () => entries.find(({ panel }) => !panel.hidden).name,
  };
}
