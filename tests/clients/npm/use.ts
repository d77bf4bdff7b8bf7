/* What TypeScript accepts of the package, and what it must not: compiled, never run. */
import { Terrane, TerraneError, crc32, digest, type Chunk } from 'terrane';
import { Edits } from 'terrane/edits';
import { Library, type Samples } from 'terrane/library';
import { stitch, triangles } from 'terrane/stitch';

export async function use(url: string): Promise<number> {
  const terrane = new Terrane(url, { world: 'terra', layers: ['height', 'biome'], format: 'r16z' });
  const chunk: Chunk = await terrane.chunk(1, 2);
  const [first, second] = await terrane.chunks([[1, 2], [3, 4]]);
  const heights: Float32Array = await terrane.heights([[0, 0]], { zoom: 9 });
  const local: boolean = await terrane.useLocal();
  const edits = await Edits.open(terrane);
  edits.set(1, 2, null);
  const library = await Library.open(new URL('terrane.wasm', url));
  const samples: Samples = library.load('{}', { seed: '1' }).grid(['height'], { x: 0n, y: 0, step: 1, columns: 2, rows: 2 });
  const mesh = stitch({ ...chunk, heights: chunk.layers.height! }, []);
  // @ts-expect-error a chunk beyond the edge is null
  const wrong: Float32Array = first.samples;
  // @ts-expect-error there is no such format
  new Terrane(url, { format: 'r16' });
  // @ts-expect-error arrays are shared
  chunk.samples = heights;
  const error = new TerraneError('x', 503);
  return mesh.length + triangles(2).length + crc32(new Uint8Array()) + digest(new Uint8Array()).length
    + Object.keys(samples).length + (second?.columns ?? 0) + wrong.length + Number(local) + error.status;
}
