/* Joins the page's modules, and the packages that they import, into the files that browsers load.
 * usage: node bundle.mjs NODE_MODULES OUT
 * What is loaded only when it is used (import()) becomes a file of its own below chunks/. */

import { copyFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [modules, out] = process.argv.slice(2).map((path) => resolve(path));
const { build } = createRequire(join(modules, 'x.js'))('esbuild');

/* What has an address of its own: the page's script, that of MapLibre's worker, which the page's policy
 * allows from the server alone, and every stylesheet. The rest is found from their imports. */
const entries = [
  'main.js',
  { in: join(modules, 'maplibre-gl/dist/maplibre-gl-worker.mjs'), out: 'scene/worker' },
  ...readdirSync(here, { recursive: true }).filter((path) => path.endsWith('.css')),
];

/* The licences of everything that is bundled, as they ask to be passed on with it. */
function licences(inputs) {
  const packages = new Set(inputs.map((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]));
  return [...packages].filter(Boolean).sort().map((name) => {
    const folder = join(modules, name);
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
    return `${name} ${version} (${license})\n\n${text}\n`;
  }).join('\n---\n\n');
}

rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: entries,
  outdir: out,
  outbase: '.',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  metafile: true,
  legalComments: 'none',
  chunkNames: 'chunks/[name]-[hash]',
  loader: { '.png': 'dataurl', '.svg': 'dataurl' },
  nodePaths: [modules],
  logLevel: 'warning',
});
copyFileSync(join(here, 'index.html'), join(out, 'index.html'));
writeFileSync(join(out, 'licenses.txt'), licences(Object.keys(metafile.inputs)));
