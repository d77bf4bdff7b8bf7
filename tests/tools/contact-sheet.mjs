/* One picture of every world × its styles × zooms, as `terrane render` makes them: a row for each
 * world and style, a column for each zoom, zooming in on one place.
 * usage: contact-sheet.mjs PROGRAM OUT.png
 * WORLDS=terra,dunes STYLES=relief,biome ZOOMS=0,9,17 PLACE=x,y (metres) CELL=128 choose others;
 * left out, the styles are those below and each world's namesake. */

import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { promisify } from 'node:util';
import { PNG } from 'pngjs';

const [program, out] = process.argv.slice(2);
const list = (name) => process.env[name]?.split(',');
const zooms = (list('ZOOMS') ?? [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20]).map(Number);
/* The landscapes have land there, and terra a coast. */
const placeOf = (world) => (list('PLACE') ?? (world === 'terra' ? [30000, 20000] : [200000, 300000])).map(Number);
const usual = ['relief', 'biome', 'contour', 'hillshade'];
const cell = Number(process.env.CELL ?? 128); /* a divisor of 256 */
const GAP = 4;
const HEAD = 16;
const LABEL = 148;

/* Characters of 3 × 5 pixels, a bit each, row by row from the top left. */
const glyphs = {
  a: 0o25755, b: 0o65656, c: 0o34443, d: 0o65556, e: 0o74647, f: 0o74644, g: 0o34553, h: 0o55755,
  i: 0o72227, j: 0o11152, k: 0o55655, l: 0o44447, m: 0o57755, n: 0o65555, o: 0o25552, p: 0o65644,
  q: 0o25563, r: 0o65655, s: 0o34216, t: 0o72222, u: 0o55557, v: 0o55552, w: 0o55775, x: 0o55255,
  y: 0o55222, z: 0o71247, 0: 0o25552, 1: 0o26227, 2: 0o61247, 3: 0o61216, 4: 0o55711, 5: 0o74616,
  6: 0o34652, 7: 0o71222, 8: 0o25252, 9: 0o25316, '-': 0o00700, _: 0o00007,
};

async function run(words, encoding) {
  const { stdout } = await promisify(execFile)(program, words, { encoding, maxBuffer: 1 << 28 });
  return stdout;
}
const readList = async (words) => JSON.parse(await run([...words, '--json'], 'utf8'));
const names = async (words) => (await readList(words)).map(({ name }) => name);

/* { world, style } of each row. */
async function listRows() {
  const rows = [];
  for (const world of list('WORLDS') ?? await names(['worlds'])) {
    const styles = await names(['styles', '--world', world]);
    rows.push(...styles.filter((style) => list('STYLES')?.includes(style) ?? (style === world || usual.includes(style)))
      .map((style) => ({ world, style })));
  }
  return rows;
}

function setPixel(sheet, x, y, colour) {
  if (x < sheet.width) sheet.data.set([...colour, 255], 4 * (y * sheet.width + x));
}

/* Twice as large as the glyphs. */
function write(sheet, text, left, top) {
  [...text].forEach((character, i) => {
    for (let bit = 0; bit < 15; bit++) {
      if (!((glyphs[character] ?? 0) >> (14 - bit) & 1)) continue;
      const [x, y] = [left + 8 * i + 2 * (bit % 3), top + 2 * Math.floor(bit / 3)];
      for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) setPixel(sheet, x + dx, y + dy, [20, 20, 20]);
    }
  });
}

/* The tile of 256 pixels in the cell's size: means of squares of pixels. */
function paste(sheet, tile, left, top) {
  const step = tile.width / cell;
  for (let y = 0; y < cell; y++) {
    for (let x = 0; x < cell; x++) {
      const sum = [0, 0, 0];
      for (let j = 0; j < step * step; j++) {
        const at = 4 * ((y * step + Math.floor(j / step)) * tile.width + x * step + j % step);
        for (let c = 0; c < 3; c++) sum[c] += tile.data[at + c];
      }
      setPixel(sheet, left + x, top + y, sum.map((v) => Math.round(v / step ** 2)));
    }
  }
}

/* At zoom z a tile is 2^(25−z) m wide, the first from −2²⁴ m on. */
const tileIndex = (zoom, metres) => Math.floor((metres + 2 ** 24) / 2 ** (25 - zoom));

async function render({ world, style }, zoom) {
  const address = [zoom, ...placeOf(world).map((metres) => tileIndex(zoom, metres))].join('/');
  return PNG.sync.read(await run(
    ['render', '--world', world, '--style', style, '--tile', address, '-o', '-'], 'buffer'));
}

const rows = await listRows();
const sheet = new PNG({
  width: LABEL + zooms.length * (cell + GAP),
  height: HEAD + rows.length * (cell + GAP),
});
sheet.data.fill(255);
zooms.forEach((zoom, i) => write(sheet, `z ${zoom}`, LABEL + i * (cell + GAP), 3));
rows.forEach(({ world, style }, i) => {
  write(sheet, world, 4, HEAD + i * (cell + GAP) + 4);
  write(sheet, style, 4, HEAD + i * (cell + GAP) + 20);
});
const cells = rows.flatMap((row, j) => zooms.map((zoom, i) => ({ row, zoom, i, j })));
async function work() {
  for (let next = cells.pop(); next; next = cells.pop()) {
    const { row, zoom, i, j } = next;
    paste(sheet, await render(row, zoom), LABEL + i * (cell + GAP), HEAD + j * (cell + GAP));
  }
}
await Promise.all(Array.from({ length: os.availableParallelism() }, work));
writeFileSync(out, PNG.sync.write(sheet, { colorType: 2 }));
process.stdout.write(`${out}: ${rows.length} rows, zooms ${zooms.join(' ')}\n`);
