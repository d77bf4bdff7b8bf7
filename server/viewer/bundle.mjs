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

/* What has an address of its own: the page's script, that of MapLibre's worker, which the page's
 * policy allows from the server alone, and every stylesheet. The rest is found from their imports. */
const entries = [
  'main.js',
  { in: join(modules, 'maplibre-gl/dist/maplibre-gl-worker.mjs'), out: 'scene/worker' },
  ...readdirSync(here, { recursive: true })
    .filter((path) => path.endsWith('.css') && !path.startsWith('embed')),
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

const common = {
  absWorkingDir: here,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  loader: { '.png': 'dataurl', '.svg': 'dataurl' },
  nodePaths: [modules],
  logLevel: 'warning',
};

/* A stylesheet that a script imports is its text: the script puts it into an element's shadow. */
const styleTexts = {
  name: 'style-texts',
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...common, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text, loader: 'text' };
    });
  },
};

/* The element for other pages has a table of its own: it carries none of the page's. */
const withoutTables = {
  name: 'without-tables',
  setup({ onLoad }) {
    onLoad({ filter: /\/texts\/de\// }, () => ({ contents: 'export default {};' }));
  },
};

rmSync(out, { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  entryPoints: entries,
  outdir: out,
  outbase: '.',
  splitting: true,
  metafile: true,
  chunkNames: 'chunks/[name]-[hash]',
});
/* The element for other pages is one file of its own. */
await build({
  ...common,
  entryPoints: ['embed/terrane-map.js'],
  outfile: join(out, 'terrane-map.js'),
  plugins: [styleTexts, withoutTables],
});
/* The client for other programs, to be read and taken along. */
await build({
  ...common,
  entryPoints: ['../clients/javascript/terrane.js'],
  outfile: join(out, 'terrane.js'),
  minify: false,
  banner: { js: '/* The JavaScript client of Terrane; its manual is server/http/README.md. */' },
});
copyFileSync(join(here, 'index.html'), join(out, 'index.html'));
writeFileSync(join(out, 'licenses.txt'), licences(Object.keys(metafile.inputs)));
