/* The macros of man(7) that manual pages are written with. Texts are escaped by their callers, as they may hold
 * fonts; what comes from the program's tables goes through escape(). */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/* Every dash is a hyphen-minus, as most stand in options; signs beyond ASCII have names. */
const signs = { '\\': '\\e', '-': '\\-', '×': '\\(mu', '…': '...', '·': '\\(md', '°': '\\(de' };
const codePoint = (sign) => `\\[u${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}]`;
export const escape = (text) => text.replace(/[^\w\s]/gu, (sign) => signs[sign] ?? (sign <= '~' ? sign : codePoint(sign)));
export const bold = (text) => `\\fB${escape(text)}\\fR`;
export const italic = (text) => `\\fI${escape(text)}\\fR`;
export const reference = (name, number) => `${bold(name)}(${number})`;

/* A line that begins like a request is no text. */
const guard = (line) => (/^['.]/.test(line) ? `\\&${line}` : line);

/* Lines of at most 80 bytes. */
export function wrap(text) {
  const lines = [''];
  for (const word of text.split(/\s+/)) {
    const line = lines.at(-1);
    if (line && Buffer.byteLength(`${line} ${word}`) > 79) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines.map(guard).join('\n');
}

export const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
export const section = (title) => `.SH ${title}`;
export const subsection = (title) => `.SS "${title}"`;
export const paragraph = (text) => `.PP\n${wrap(text)}`;
export const item = (term, text) => `.TP\n${term}\n${wrap(text)}`;
/* Lines as they are, not escaped yet. */
export const example = (lines) => `.PP\n.nf\n.RS 4\n${lines.map((line) => guard(escape(line))).join('\n')}\n.RE\n.fi`;
/* Of [name, number], by number and name. */
export function seeAlso(pages) {
  const sorted = [...pages].sort(([a, i], [b, j]) => i - j || (a < b ? -1 : 1));
  return [section('SEE ALSO'), sorted.map((page) => reference(...page)).join(',\n')];
}

/* Writes FOLDER/NAME.NUMBER. The date is filled in when the page is installed. */
export function writePage(folder, { name, number, version, summary, parts }) {
  const title = `.TH "${escape(name.toUpperCase())}" ${number} "@DATE@" "terrane ${version}" "Terrane"`;
  const head = [title, '.nh', '.ad l', section('NAME'), wrap(`${escape(name)} \\- ${escape(summary)}`)];
  /* A section begins with a paragraph by itself. */
  const text = [...head, ...parts].join('\n').replace(/^(\.S[HS] .*)\n\.PP$/gm, '$1');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.${number}`), `${text}\n`);
}
