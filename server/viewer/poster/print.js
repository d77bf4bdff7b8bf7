/* A sheet for the printer, or for the browser's own "Save as PDF": the page's print style gives way
 * to it until it is printed. */

import { h } from '../app/dom.js';

const rules = new CSSStyleSheet();

export function removeSheet() {
  document.getElementById('poster-print')?.remove();
  rules.replaceSync('');
}

/* Hands a drawing of a paper to the printer. */
export function printSheet(drawing, { millimetres: [width, height] }) {
  removeSheet();
  if (!document.adoptedStyleSheets.includes(rules)) document.adoptedStyleSheets.push(rules);
  /* A fraction less than the paper: browsers round, and a second sheet would be empty. */
  rules.replaceSync(`
    #poster-print { display: none }
    @page { size: ${width}mm ${height}mm; margin: 0 }
    @media print {
      #map, #print { display: none !important }
      body > #poster-print { display: block !important; overflow: hidden;
        width: ${width}mm; height: ${height - 0.2}mm }
      #poster-print svg { display: block }
    }`);
  document.body.append(h('section', { id: 'poster-print', 'aria-hidden': 'true' }, drawing));
  addEventListener('afterprint', removeSheet, { once: true });
  print();
}
