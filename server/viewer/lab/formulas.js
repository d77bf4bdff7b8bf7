/* The language of formulas, as it stands inside the strings of a world file: tokens, and the call
 * around a place. Quotes of a formula are \" there. Nothing here knows the editor or the page. */

import { tr } from '../texts/texts.js';

const TOKEN = new RegExp([
  '(?<space>\\s+)',
  '(?<number>(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?)',
  '(?<name>[A-Za-z_]\\w*)',
  '(?<text>\\\\"[^"\\\\]*(?:\\\\"|$))',
  '(?<operator>&&|\\|\\||[<>=!]=|[-+*/^<>=!?:])',
  '(?<bracket>[(),])',
  '(?<other>[^])',
].join('|'), 'y');

const CONSTANTS = [
  { name: 'x', summary: tr('metres to the east') },
  { name: 'y', summary: tr('metres to the south') },
  { name: 'z', summary: tr('metres upwards; 0 on maps') },
  { name: 't', summary: 'seconds' },
  { name: 'pi', summary: '3.14159265' },
];

/* The names that scatter() gives to its formula. */
const SCATTERED = [
  { name: 'dx', summary: tr('scatter(): metres from the point to the sample, eastwards') },
  { name: 'dy', summary: tr('scatter(): metres from the point to the sample, southwards') },
  { name: 'r', summary: tr('scatter(): metres from the point to the sample') },
  { name: 'angle', summary: tr('scatter(): of the way from the point to the sample, radians') },
  { name: 'id', summary: tr('scatter(): a whole number for each point, for random()') },
];
const callsScatter = ({ type, text }) => type === 'function' && text === 'scatter';
/* The names that a formula of these tokens may use besides layers. */
export const constantsOf = (tokens) => (
  tokens.some(callsScatter) ? [...CONSTANTS, ...SCATTERED] : CONSTANTS);

/* A name is a function before "(", and an argument's before a single "=". */
function classify(tokens) {
  tokens.forEach((token, index) => {
    if (token.type !== 'name') return;
    const next = tokens[index + 1]?.text;
    if (next === '(') token.type = 'function';
    else if (next === '=') token.type = 'argument';
  });
  return tokens;
}

/* The tokens of a formula, without spaces: {type, text, from, to}; types are number, function,
 * argument, name, text, operator, bracket, and other for what no formula has. */
export function tokenize(formula) {
  const tokens = [];
  for (let at = 0; at < formula.length;) {
    TOKEN.lastIndex = at;
    const { groups, 0: text } = TOKEN.exec(formula);
    const type = Object.keys(groups).find((name) => groups[name] !== undefined);
    if (type !== 'space') tokens.push({ type, text, from: at, to: at + text.length });
    at += text.length;
  }
  return classify(tokens);
}

/* The innermost call whose brackets are around a place: {name, index of the argument, argument: its
 * name if it has one, used: names of arguments before}, or null. */
export function callAt(tokens, position) {
  const open = [];
  for (const [at, token] of tokens.entries()) {
    if (token.from >= position) break;
    const call = open.at(-1);
    if (token.text === '(') {
      const before = tokens[at - 1];
      const name = before?.type === 'function' ? before.text : null;
      open.push({ name, index: 0, argument: null, used: [] });
    } else if (token.text === ')') {
      open.pop();
    } else if (token.text === ',' && call) {
      call.index += 1;
      call.argument = null;
    } else if (token.type === 'argument' && call) {
      call.argument = token.text;
      call.used.push(token.text);
    }
  }
  return open.findLast(({ name }) => name !== null) ?? null;
}

/* The parameter of a function of /formulas that a call gives at a place, or null. */
export function parameterOf(functions, call) {
  const found = functions.find(({ name }) => name === call?.name);
  if (!found) return null;
  if (call.argument !== null) {
    return found.parameters.find(({ name }) => name === call.argument) ?? null;
  }
  const last = found.parameters.length - 1;
  return found.parameters[found.variadic ? Math.min(call.index, last) : call.index] ?? null;
}

/* 0.01 and 24 as they are; 1000000000 as 10⁹, the way the language's limits are meant. */
function limitText(value) {
  const power = Math.log10(Math.abs(value));
  if (power < 6 || !Number.isInteger(power)) return String(value);
  const raised = [...String(power)].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('');
  return `${value < 0 ? '−' : ''}10${raised}`;
}

/* What a parameter takes, in words. */
export function rangeText(parameter) {
  const { kind, choices } = parameter;
  const [minimum, maximum] = [parameter.minimum, parameter.maximum].map(limitText);
  if (kind === 'choice') return choices.map((choice) => `"${choice}"`).join(', ');
  if (kind === 'text') return tr('a text');
  if (kind === 'formula') return tr('a formula');
  return `${kind === 'whole' ? tr('a whole number') : tr('a number')}, ${minimum} … ${maximum}`;
}
