/* What functions, arguments and keys are, as elements: for completion and for tooltips. */

import { h } from '../app/dom.js';
import { callAt, constantsOf, parameterOf, rangeText, tokenize } from './formulas.js';
import { keysAt } from './keys.js';
import { formulaAt, namesOf, pathOf } from './structure.js';
import { tr } from '../texts/texts.js';

function defaultText(parameter) {
  if (!parameter.optional) return '';
  if (parameter.default_parameter) return tr('; as {0}', parameter.default_parameter);
  const { default: value } = parameter;
  return tr('; {0} if left out', typeof value === 'number' ? value : `"${value}"`);
}

function parameterRow(parameter) {
  return h('li', {}, h('code', {}, parameter.name),
    ` – ${rangeText(parameter)}${defaultText(parameter)}`);
}

/* Signature, what it does, and what each argument takes. */
export function functionHelp({ signature, summary, parameters, variadic }) {
  return h('div', { class: 'lab-help' },
    h('code', { class: 'signature' }, signature),
    h('p', {}, `${summary}.`),
    h('ul', {}, parameters.map(parameterRow)),
    variadic && h('p', {}, tr('The last one may be repeated.')));
}

export function argumentHelp(parameter) {
  return h('div', { class: 'lab-help' }, h('code', { class: 'signature' }, parameter.name),
    h('p', {}, `${rangeText(parameter)}${defaultText(parameter)}.`.replace(/^./u, (first) =>
      first.toUpperCase())));
}

export function textHelp(name, text) {
  return h('div', { class: 'lab-help' }, h('code', { class: 'signature' }, name), h('p', {}, text));
}

/* Help for a token of a formula, or null. */
function tokenHelp(state, functions, formula, tokens, token) {
  const known = functions.find(({ name }) => name === token.text);
  if (token.type === 'function' && known) return functionHelp(known);
  const parameter = parameterOf(functions, callAt(tokens, token.to));
  if (token.type === 'argument' && parameter) return argumentHelp(parameter);
  if (token.type === 'number' && parameter && parameter.kind !== 'formula') {
    return argumentHelp(parameter);
  }
  const constant = constantsOf(tokens).find(({ name }) => name === token.text);
  if (constant) return textHelp(constant.name, constant.summary);
  const layer = namesOf(state, 'layers').find(({ name }) => name === token.text);
  if (!layer) return null;
  return textHelp(layer.name, state.sliceDoc(layer.from, layer.to).replace(/^"\w+"\s*:\s*/, ''));
}

/* What a tooltip at a position shows: {from, to, content}, or null. */
export function helpAt(state, functions, node, position) {
  if (node.name === 'PropertyName') {
    const path = pathOf(state, node);
    const key = path.at(-1);
    const text = keysAt(path.slice(0, -1))?.[key];
    return text ? { from: node.from, to: node.to, content: textHelp(key, text) } : null;
  }
  const formula = formulaAt(state, position);
  if (formula === null) return null;
  const tokens = tokenize(formula.text);
  const inside = position - formula.from;
  const token = tokens.find(({ from, to }) => from <= inside && inside < to);
  const content = token && tokenHelp(state, functions, formula, tokens, token);
  return content ? { from: formula.from + token.from, to: formula.from + token.to, content } : null;
}
