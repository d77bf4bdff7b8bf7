/* Completion in world files: functions with their arguments, layers and biomes in formulas, and the
 * keys of each object. `functions` are those of /formulas. */

import { autocompletion, snippet } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { hoverTooltip } from '@codemirror/view';
import { callAt, constantsOf, parameterOf, tokenize } from './formulas.js';
import { argumentHelp, functionHelp, helpAt, textHelp } from './help.js';
import { keysAt } from './keys.js';
import { formulaAt, namesOf, pathOf } from './structure.js';
import { tr } from '../texts/texts.js';

/* What a call begins with, where no number is better than another. */
const EXAMPLES = { wavelength: 4096, octaves: 6, degrees: 30, k: 2, spacing: 64, period: 4096 };

/* A call with what it must have, each a place to go on to by Tab. */
function callTemplate({ name, parameters }) {
  const required = parameters.filter(({ optional }) => !optional).map((parameter, index) => {
    const value = EXAMPLES[parameter.name];
    const place = `\${${index + 1}:${value ?? parameter.name}}`;
    const field = ['choice', 'text'].includes(parameter.kind) ? `\\"${place}\\"` : place;
    return value === undefined ? field : `${parameter.name}=${field}`;
  });
  return `${name}(${required.join(', ')})`;
}

function functionOption(row) {
  return {
    label: row.name,
    type: 'function',
    detail: row.signature.slice(row.name.length),
    info: () => functionHelp(row),
    apply: snippet(callTemplate(row)),
  };
}

/* The arguments of the call around that are not there yet. */
function argumentOptions(functions, call) {
  const found = functions.find(({ name }) => name === call?.name);
  if (!found || call.argument !== null) return [];
  return found.parameters.slice(call.index).filter(({ name }) => !call.used.includes(name))
    .map((parameter) => ({
      label: `${parameter.name}=`, type: 'property', boost: 2,
      detail: parameter.optional ? 'optional' : '', info: () => argumentHelp(parameter),
    }));
}

/* Names of the file's own: layers, and where rules may name them biomes. */
function nameOptions(state, path, tokens) {
  const biomes = ['materials', 'objects'].includes(path[0]) ? namesOf(state, 'biomes') : [];
  return [
    ...namesOf(state, 'layers').filter(({ name }) => path[0] !== 'layers' || name !== path[1])
      .map(({ name }) => ({ label: name, type: 'variable', detail: tr('layer'), boost: 1 })),
    ...biomes.map(({ name }) => ({ label: name, type: 'constant', detail: tr('biome') })),
    ...constantsOf(tokens).map(({ name, summary }) => ({ label: name, type: 'constant', detail: summary })),
  ];
}

const textOptions = ({ choices }) =>
  choices.map((choice) => ({ label: choice, apply: `\\"${choice}\\"`, type: 'enum' }));

/* The texts of a choice, between \" and \". */
function choiceResult(functions, formula, tokens, inside) {
  const token = tokens.find(({ type, from, to }) =>
    type === 'text' && from < inside && inside <= to);
  const parameter = token && parameterOf(functions, callAt(tokens, token.from));
  if (!parameter?.choices) return null;
  return {
    from: formula.from + token.from,
    to: formula.from + token.to,
    options: textOptions(parameter),
    filter: false,
  };
}

function completeFormula(functions, context) {
  const formula = formulaAt(context.state, context.pos);
  if (formula === null) return null;
  const tokens = tokenize(formula.text);
  const inside = context.pos - formula.from;
  const choices = choiceResult(functions, formula, tokens, inside);
  if (choices) return choices;
  const word = context.matchBefore(/[A-Za-z_]\w*/);
  if (!word && !context.explicit) return null;
  const call = callAt(tokens, (word?.from ?? context.pos) - formula.from);
  const chosen = parameterOf(functions, call);
  const from = word?.from ?? context.pos;
  if (chosen?.choices && call.argument !== null) return { from, options: textOptions(chosen) };
  return {
    from,
    options: [...argumentOptions(functions, call), ...nameOptions(context.state, formula.path, tokens),
      ...functions.map(functionOption)],
    validFor: /^\w*$/,
  };
}

/* In a key: those that the object may have and has not. */
function completeKey(context) {
  const node = syntaxTree(context.state).resolveInner(context.pos, -1);
  if (node.name !== 'PropertyName') return null;
  const path = pathOf(context.state, node).slice(0, -1);
  const keys = keysAt(path);
  if (keys === null) return null;
  const there = node.parent.parent.getChildren('Property').map((property) =>
    pathOf(context.state, property).at(-1));
  return {
    from: node.from + 1,
    options: Object.entries(keys).filter(([key]) => !there.includes(key)).map(([key, text]) =>
      ({ label: key, type: 'property', info: () => textHelp(key, text) })),
    validFor: /^\w*$/,
  };
}

/* The editor's extension; functions() gives those of /formulas, which may come later. */
export function worldCompletion(functions) {
  return [
    autocompletion({
      override: [(context) => completeFormula(functions(), context), completeKey],
      activateOnTyping: true,
    }),
    hoverTooltip((view, position) => {
      const node = syntaxTree(view.state).resolveInner(position, 1);
      const help = helpAt(view.state, functions(), node, position);
      return help && {
        pos: help.from, end: help.to, above: true, create: () => ({ dom: help.content }),
      };
    }, { hoverTime: 350 }),
  ];
}
