/* The page's texts: each is in the German tables, with the same values, and none
 * stands outside. No browser is started. */

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import lab from '../../server/viewer/texts/de/lab.js';
import page from '../../server/viewer/texts/de/page.js';
import { tr } from '../../server/viewer/texts/texts.js';
import { documentTexts, pageTexts, scan } from '../tools/page-texts.mjs';

const german = { ...page, ...lab };
const placesOf = (text) => [...text.matchAll(/\{\d\}/g)].map(([place]) => place).sort();

/* {texts, strays} of a module's source. */
function scanned(source) {
  const texts = [];
  const strays = [];
  scan('x.js', source, { told: (text) => texts.push(text), stray: (what) => strays.push(what) });
  return { texts, strays };
}

describe('texts of the page', () => {
  const { texts, strays } = pageTexts();

  it('all stand inside tr()', () => {
    assert.deepEqual(strays, []);
    assert.ok(texts.length > 600, `${texts.length} texts`);
  });

  it('all are in the German table, with the same values', () => {
    const missing = texts.filter(({ text }) => !german[text]).map(({ text, where }) => `${where}: ${text}`);
    assert.deepEqual(missing, []);
    for (const { text, values, where } of texts) {
      assert.deepEqual(placesOf(german[text]), placesOf(text), `${where}: ${text}`);
      assert.equal(new Set(placesOf(text)).size, values, `${where}: ${text}`);
    }
  });

  it('and the table has no others, and none twice', () => {
    const used = new Set(texts.map(({ text }) => text));
    assert.deepEqual(Object.keys(german).filter((text) => !used.has(text)), []);
    assert.deepEqual(Object.keys(lab).filter((text) => text in page), []);
  });

  it('tr() puts values in, and hides what tells two meanings apart', () => {
    assert.equal(tr('{0} of {1} rivers {2}.', '3 km', 12, 'here'), '3 km of 12 rivers here.');
    assert.equal(tr('Share|of a whole'), 'Share');
  });
});

describe('the search for texts', () => {
  for (const [what, source, stray] of [
    ['a child of an element', "h('p', {}, 'metres')", 'metres'],
    ['an attribute', "h('input', { placeholder: 'never' })", 'never'],
    ['a sentence', "status.tell('Link copied.')", 'Link copied.'],
    ['a template', 'status.tell(`Not copied: ${message}`)', 'Not copied: {}'],
    ['words in a constant', "const HELP = 'in the way'", 'in the way'],
    ['a text that is not constant', 'tr(text)', 'tr() of a text that is not constant'],
  ]) {
    it(`finds ${what}`, () => assert.deepEqual(scanned(source).strays, [stray]));
  }

  it('joins sums, and finds texts among the values of others', () => {
    assert.deepEqual(scanned("tr('a {0} ' + 'b', tr('the sea'))").texts, ['a {0} b', 'the sea']);
    assert.deepEqual(scanned("tr('a {0}', 'The sea')").strays, ['The sea']);
  });

  it('leaves parts of programs alone', () => {
    assert.deepEqual(scanned("h('p', { class: 'note wide' }, `${x}px`); on('click keypress')").strays, []);
  });

  it('finds those of the document', () => {
    assert.deepEqual(documentTexts('<body><b title="Go there">Names <i>x</i></b></body>'),
      ['Go there', 'Names']);
  });
});
