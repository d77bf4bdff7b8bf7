/* Shared by the overload tests: clients and a table of results. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/* Runs the load program against a server; returns what it printed. */
export function storm(program, port, { seconds, connections, rate, kind, targets = [] }) {
  return new Promise((resolve, reject) => {
    const values = [port, seconds, connections, rate, kind, ...targets].map(String);
    const child = spawn(program, values, { stdio: ['ignore', 'pipe', 'inherit'] });
    let out = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.on('error', reject);
    child.on('close', (status) => (status === 0 ? resolve(JSON.parse(out)) : reject(new Error(`storm: status ${status}`))));
  });
}

export const cached = Array.from({ length: 16 }, (_, i) => `/tiles/relief/9/${250 + i}/256.png`);

/* A client that requests 500 cached tiles a second. */
export const wellBehaved = (program, port, seconds) =>
  storm(program, port, { seconds, connections: 8, rate: 500, kind: 'targets', targets: cached });

export async function warm(url) {
  for (const path of cached) {
    const response = await fetch(url + path);
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    await response.arrayBuffer();
  }
}

export const countOf = ({ answers }, status) => answers[status]?.count ?? 0;
export const total = ({ answers }) => Object.values(answers).reduce((sum, { count }) => sum + count, 0);

/* The p99 under load divided by the mean of those before and after it, and those two. */
export function compare(beside, before, after) {
  const [a, b] = [before.answers[200].p99_ms, after.answers[200].p99_ms];
  return [beside.answers[200].p99_ms / ((a + b) / 2), `${a}, ${b}`];
}

/* Milliseconds until the server renders a new tile. */
export async function recover(url) {
  const began = performance.now();
  for (let i = 0; performance.now() - began < 60000; i++) {
    const response = await fetch(`${url}/tiles/relief/15/${Math.floor(Math.random() * 32768)}/${i}.png`);
    await response.arrayBuffer();
    if (response.status === 200) return performance.now() - began;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the server has not recovered in a minute');
}

/* Resident memory of the process in megabytes: now, and its maximum. */
export function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return ['VmRSS', 'VmHWM'].map((name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024);
}

/* Prints lines [what, seen, wanted, ok] and returns whether all are met. A line with undefined `ok` is not
 * judged. */
export function report(title, lines) {
  console.log(title);
  for (const [what, seen, wanted = '', ok] of lines) {
    console.log(`  ${what.padEnd(44)} ${String(seen).padStart(14)}  ${wanted}${ok === false ? '  <-- NOT MET' : ''}`);
  }
  return lines.every(([, , , ok]) => ok !== false);
}
