/* What stands where in a world file: its strings that are formulas, its layers, and the path of a
 * place. It reads the editor's tree, which exists for broken files too. */

import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { isFormula } from './keys.js';

const PARSING_MS = 200; /* at most: a busy machine may not have parsed the end of the text yet */
const VALUES = new Set(['String', 'Number', 'Object', 'Array', 'True', 'False', 'Null']);

/* The text of a string without its quotes; escapes stay as they are. */
function bare(doc, node) {
  return doc.sliceString(node.from, node.to).replace(/^"|"$/g, '');
}

const keyOf = (doc, property) => {
  const key = property.getChild('PropertyName');
  return key === null ? '' : bare(doc, key);
};

/* The place of an element among its brothers. */
function indexOf(node) {
  let index = 0;
  for (let before = node.prevSibling; before; before = before.prevSibling) {
    if (VALUES.has(before.name)) index += 1;
  }
  return index;
}

/* The path of a node: keys and indices, from the outermost. */
export function pathOf(state, node) {
  const path = [];
  for (let at = node; at; at = at.parent) {
    if (at.name === 'Property') path.unshift(keyOf(state.doc, at));
    else if (at.parent?.name === 'Array') path.unshift(String(indexOf(at)));
  }
  return path;
}

/* The formula around a position: {from, to, text, path}, without its quotes; or null. */
export function formulaAt(state, position) {
  const tree = ensureSyntaxTree(state, position, PARSING_MS) ?? syntaxTree(state);
  const node = tree.resolveInner(position, -1);
  if (node.name !== 'String' || position <= node.from) return null;
  return formulaOf(state, node);
}

function formulaOf(state, node) {
  const path = pathOf(state, node);
  if (!isFormula(path)) return null;
  const text = state.sliceDoc(node.from + 1, node.to);
  const closed = text.endsWith('"') && !text.endsWith('\\"');
  const to = closed ? node.to - 1 : node.to;
  return { from: node.from + 1, to, text: state.sliceDoc(node.from + 1, to), path };
}

/* The formulas between two positions. */
export function formulasIn(state, from, to) {
  const found = [];
  syntaxTree(state).iterate({
    from,
    to,
    enter(ref) {
      const formula = ref.name === 'String' ? formulaOf(state, ref.node) : null;
      if (formula) found.push(formula);
    },
  });
  return found;
}

/* The names that an object or list gives, by its key at the top of the file: [{name, from, to}]. */
export function namesOf(state, key) {
  const root = syntaxTree(state).topNode.getChild('Object');
  const property = root?.getChildren('Property').find((child) => keyOf(state.doc, child) === key);
  const named = property?.getChild('Object')?.getChildren('Property') ?? [];
  const listed = (property?.getChild('Array')?.getChildren('Object') ?? []).map((entry) =>
    entry.getChildren('Property').find((child) => keyOf(state.doc, child) === 'name'));
  return [
    ...named.map((child) => [child, keyOf(state.doc, child)]),
    ...listed.filter((child) => child?.getChild('String'))
      .map((child) => [child, bare(state.doc, child.getChild('String'))]),
  ].map(([{ from, to }, name]) => ({ name, from, to }));
}
