/* What the page itself can say of a world file. Where the server takes no previews, that is JSON,
 * the names of functions and arguments, and the keys of objects; the server knows the rest. Where
 * it does, it names the first place that is not JSON, and the page those behind it. */

import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { callAt, constantsOf, tokenize } from './formulas.js';
import { keysAt } from './keys.js';
import { endOf } from './problems.js';
import { formulasIn, namesOf, pathOf } from './structure.js';
import { tr } from '../texts/texts.js';

const PARSING_MS = 100;
const NO_JSON = tr('this is not JSON: something is missing here, or too much');

function problem(from, to, message, path = []) {
  return { from, to, severity: 'error', message, error: { pointer: `/${path.join('/')}` } };
}

function checkBrackets(tokens, add) {
  const open = [];
  for (const token of tokens) {
    if (token.text === '(') open.push(token);
    else if (token.text === ')' && !open.pop()) add(token, tr('no "(" belongs to this ")"'));
  }
  for (const token of open) add(token, tr('this "(" is not closed'));
}

/* `names` is null where names may be given by a part that cannot be read. */
function checkName(token, tokens, functions, names, add) {
  if (token.type === 'other') add(token, tr('unexpected character "{0}"', token.text));
  else if (token.type === 'function' && !functions.some(({ name }) => name === token.text)) {
    add(token, tr('unknown function "{0}"', token.text));
  } else if (token.type === 'name' && names && !names.has(token.text) &&
    !constantsOf(tokens).some(({ name }) => name === token.text)) {
    add(token, tr('unknown name "{0}"', token.text));
  } else if (token.type === 'argument') {
    const call = callAt(tokens, token.to);
    const known = functions.find(({ name }) => name === call?.name);
    if (known && !known.parameters.some(({ name }) => name === token.text)) {
      add(token, tr('{0}() has no argument "{1}"', known.name, token.text));
    }
  }
}

function checkFormula(formula, functions, names, found) {
  const tokens = tokenize(formula.text);
  const add = (token, message) => found.push(
    problem(formula.from + token.from, formula.from + token.to, message, formula.path));
  for (const token of tokens) checkName(token, tokens, functions, names, add);
  checkBrackets(tokens, add);
}

function checkNode(state, node, found) {
  if (node.type.isError) {
    found.push(problem(node.from, node.to, NO_JSON));
  } else if (node.name === 'PropertyName') {
    const path = pathOf(state, node);
    const keys = keysAt(path.slice(0, -1));
    if (keys && !(path.at(-1) in keys)) {
      found.push(problem(node.from, node.to,
        tr('unknown key "{0}": allowed are {1}', path.at(-1), Object.keys(keys).join(', ')), path));
    }
  }
}

/* Diagnostics of the editor, sorted by place. */
export function checkLocally(state, functions) {
  const found = [];
  const names = new Set(['biome', ...namesOf(state, 'layers').map(({ name }) => name),
    ...namesOf(state, 'biomes').map(({ name }) => name)]);
  syntaxTree(state).iterate({ enter: (ref) => checkNode(state, ref.node, found) });
  for (const formula of formulasIn(state, 0, state.doc.length)) {
    checkFormula(formula, functions, names, found);
  }
  return found.sort((a, b) => a.from - b.from);
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/* Where else a text is not JSON than at a first place, and what is wrong in its formulas; nothing if
 * it is JSON. What the parser stumbles over in the same line, or behind the end of the world, is
 * mostly the same error. */
export function furtherErrors(state, functions, first) {
  if (isJson(state.doc.toString())) return [];
  const tree = ensureSyntaxTree(state, state.doc.length, PARSING_MS) ?? syntaxTree(state);
  const lineOf = (position) => state.doc.lineAt(position).number;
  const found = [];
  const world = tree.topNode.firstChild ?? tree.topNode;
  let line = lineOf(first);
  tree.iterate({ to: world.to, enter({ type, from, to }) {
    if (!type.isError || from >= world.to || lineOf(from) <= line) return;
    line = lineOf(from);
    found.push(problem(from, Math.max(to, endOf(state.doc, from)), NO_JSON));
  } });
  for (const formula of formulasIn(state, 0, world.to)) {
    checkFormula(formula, functions, null, found);
  }
  return found;
}
