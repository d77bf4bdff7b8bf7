/* The texts of the page's sources, found by a parser: those inside tr(), which tables translate, and
 * what looks like a text and stands outside. */

import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const viewer = fileURLToPath(new URL('../../server/viewer', import.meta.url));
const { SyntaxKind } = ts;

/* The element for other pages has a table of its own, embed/texts.js. */
const isPart = (name) => name.endsWith('.js') && !/^(embed|texts)\//.test(name);

const isLiteral = (node) => ts.isStringLiteral(node) || ts.isTemplateExpression(node)
  || ts.isNoSubstitutionTemplateLiteral(node);
const isSum = (node) => ts.isBinaryExpression(node)
  && node.operatorToken.kind === SyntaxKind.PlusToken;

/* "a {} c" of `a ${b} c` */
const textOf = (node) => (ts.isTemplateExpression(node)
  ? [node.head, ...node.templateSpans.map(({ literal }) => literal)].map(({ text }) => text).join('{}')
  : node.text);

/* The text of 'a' + 'b'; null of anything that is not constant. */
function constantText(node) {
  if (isSum(node)) {
    const [left, right] = [node.left, node.right].map(constantText);
    return left === null || right === null ? null : left + right;
  }
  return isLiteral(node) && !ts.isTemplateExpression(node) ? node.text : null;
}

const nameOf = (node) => node?.getText().replace(/^['"]|['"]$/g, '');
const isCallOf = (node, names) => ts.isCallExpression(node)
  && names.test(node.expression.getText());

/* Names of attributes and properties whose values people read, and of those that programs read. */
const READ = /^(title|label|placeholder|alt|aria-label|aria-description|hint|detail)$/;
const TECHNICAL = /^(class|className|type|role|id|for|d|href|accept|Accept|method)$/;
/* Calls whose texts are selectors, names of events or tags, or names of the editor's grammar. */
const TECHNICAL_CALLS = new RegExp(`(^|\\.)(${['on', 'addEventListener', 'matches', 'closest', 'import',
  'querySelector', 'querySelectorAll', 'matchMedia', 'getChild', 'getChildren', 'h', 'svg', 'icon',
  'setAttribute', 'getAttribute'].join('|')})$`);

/* Literals that look like texts and are none: parts of programs, of data and of proper names. */
const NO_TEXTS = [
  /^#version/, /^[\w./?{}:$*~,-]+$/, /^[-\w]+(\.[\w*]+)+$/, /[=&][\w{}]/, /^--|^\{\} [a-z]*=|\(\?</,
  /^\s*#[-\w]+ \{|^\d+(\.\d+)?px|\{\}px|var\(--|^(min|rgb)\(|^#\w+ \w+$/,
  /currentColor|monospace$|serif$|linear-gradient/,
  /^M[-\d .,{}MLVHCSQTAZlvhcsqtaz]+$/, /^"?\{?\[/, /^\{\w+(, \w+)*\}$/,
  /^(\d+|\{\})\skm$/, /^\d+(\.\d+)? … /, /^\{\} · Terrane$/, /^Terrane$/, /^draft $/, /^too long$/,
  /^(OpenAPI|TileJSON|GeoJSON|GeoTIFF|WebP|WMTS|SVG|CSV|NFKD|NFD|SHA-256|HEAD|POST)$/,
  /^(Alt|Shift|Arrow|Key|Page|Home|End|Backspace|Delete|Escape|Enter)/,
  /^(String|Number|Object|Array|True|False|Null|Property|PropertyName)$/,
  /^(curl( -o .*| '.*)?|terrane render)$/, /^(pin shared|shared \{\},\{\})$/, /^height>500 && slope<10$/, /^xMidYMid slice$/, /^urn:ogc/,
  /^dragstart zoomstart click$/, /^\{\} \* noise$/, /^t < \{\} \? \{\} : $/, /^\[data-place/,
];

const hasWords = (text) => /\p{L}{2}/u.test(text);
/* A capital and small letters, or a small word between spaces. */
const looksWritten = (text) => /^\P{L}*\p{Lu}\p{Ll}+/u.test(text)
  || /(^|[\s{}“])\p{Ll}{2,}[\s.,;:…?]/u.test(text) || /[\s{}“]\p{Ll}{2,}$/u.test(text);

function isTechnical(node) {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return true;
  if (ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return true;
  if (ts.isBinaryExpression(parent)) return /^([=!]==|in)$/.test(parent.operatorToken.getText());
  if (ts.isCallExpression(parent)) {
    return isCallOf(parent, TECHNICAL_CALLS) && parent.arguments[0] === node;
  }
  if (!ts.isPropertyAssignment(parent)) return false;
  return parent.name === node || TECHNICAL.test(nameOf(parent.name));
}

/* Whether a literal is where only texts are: a child of an element, or an attribute to be read. */
function isReadOnly({ parent }, node) {
  if (ts.isPropertyAssignment(parent)) return READ.test(nameOf(parent.name));
  return isCallOf(parent, /^h$/) && parent.arguments.indexOf(node) >= 2;
}

function isText(node) {
  const text = textOf(node);
  if (!hasWords(text) || isTechnical(node)) return false;
  if (isReadOnly(node, node) && !/^[\w.]*\.(geo)?json$|^[A-Z]+$/.test(text)) {
    return !NO_TEXTS.slice(3).some((pattern) => pattern.test(text));
  }
  return looksWritten(text) && !NO_TEXTS.some((pattern) => pattern.test(text));
}

/* Calls told(text, values) for each constant tr(), and stray(what, line) for what is wrong. */
export function scan(name, source, { told, stray }) {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const lineOf = (node) => file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const visit = (node) => {
    if (isCallOf(node, /^tr$/)) {
      const [first, ...values] = node.arguments;
      const text = constantText(first);
      if (text === null) stray('tr() of a text that is not constant', lineOf(node));
      else told(text, values.length);
      values.forEach(visit);
      return;
    }
    if (isLiteral(node) && isText(node)) stray(textOf(node), lineOf(node));
    ts.forEachChild(node, visit);
  };
  visit(file);
}

/* The texts of the document itself, and of attributes that people read. What is shown without
 * JavaScript, and the name of the product, stay. */
export function documentTexts(html) {
  const body = html.replace(/<!--.*?-->|<noscript>.*?<\/noscript>|<head>.*?<\/head>/gs, '');
  const attributes = [...body.matchAll(/\b(?:title|placeholder|aria-label)="([^"]+)"/g)];
  const nodes = [...body.matchAll(/>([^<]+)</g)];
  return [...attributes, ...nodes].map(([, text]) => text.trim())
    .filter((text) => hasWords(text) && text !== 'Terrane');
}

/* {texts: [{text, values, where}], strays: ["FILE:LINE: TEXT"]} of the page. */
export function pageTexts() {
  const texts = [];
  const strays = [];
  for (const name of readdirSync(viewer, { recursive: true }).filter(isPart)) {
    scan(name, readFileSync(path.join(viewer, name), 'utf8'), {
      told: (text, values) => texts.push({ text, values, where: name }),
      stray: (what, line) => strays.push(`${name}:${line}: ${what}`),
    });
  }
  const html = readFileSync(path.join(viewer, 'index.html'), 'utf8');
  for (const text of documentTexts(html)) texts.push({ text, values: 0, where: 'index.html' });
  return { texts, strays };
}
