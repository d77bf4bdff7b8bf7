/** Format in which chunks come: the daemon's bits, eighths of a metre, or 255 parts of the range of a layer. */
export type Format = 'r32f' | 'r16z' | 'r8';

export interface Options {
  /** As in an address: a name, also with ~SEED and @FINGERPRINT. The server's default world without it. */
  world?: string;
  /** Steps a side of a chunk: 64. */
  size?: number;
  /** Metres, a power of two from 1/16 to 65536: 1. */
  step?: number;
  /** Rings of further vertices around a chunk: 0. */
  apron?: number;
  /** Names of layers; 'materials' stands for those of `materials`. */
  layers?: readonly string[];
  /** Names of the world's materials. */
  materials?: readonly string[];
  /** Seconds: 0. */
  t?: number;
  format?: Format;
  /** Whether chunks have their objects; such chunks are never computed locally. */
  objects?: boolean;
  /** Chunks that stay in memory: 256. */
  capacity?: number;
  /** Milliseconds for one request: 10000. */
  timeout?: number;
  /** Milliseconds in which a request that fails for now is made again: 0. */
  patience?: number;
}

export interface WorldObject {
  /** Decimal: of the seed, the kind and the cell alone. */
  readonly id: string;
  readonly kind: string;
  /** Metres. */
  readonly x: number;
  readonly y: number;
  /** That of the ground, in metres. */
  readonly height: number;
  readonly scale: number;
  /** Degrees clockwise from north. */
  readonly rotation: number;
}

/** A chunk; its arrays are shared: copy them to change them. */
export interface Chunk {
  readonly cx: number;
  readonly cy: number;
  /** Place of the first sample, in metres. */
  readonly x: number;
  readonly y: number;
  readonly step: number;
  /** Samples a side. */
  readonly columns: number;
  /** All layers, one after another. */
  readonly samples: Float32Array;
  readonly layers: Readonly<Record<string, Float32Array>>;
  /** That of the server's floats; null of a chunk that came in a batch and not as r32f. */
  readonly digest: string | null;
  /** Null without the option `objects`. */
  readonly objects: readonly WorldObject[] | null;
}

export interface FollowOptions {
  /** Ends following. */
  signal?: AbortSignal | null;
  /** Milliseconds from one question to the next where the server has no events: 10000. */
  every?: number;
}

export interface Change {
  /** That of the world now. */
  fingerprint: string;
  /** Chunks in memory that have changed, loaded again. */
  chunks: Chunk[];
}

export interface Counts {
  hits: number;
  misses: number;
  requests: number;
  retries: number;
  unchanged: number;
  received: number;
  computed: number;
  evicted: number;
}

export interface LocalOptions {
  /** The module, its bytes or its address, below the server's if it begins with a slash: '/terrane.wasm'. */
  wasm?: WebAssembly.Module | BufferSource | string | URL;
  /** The world's file; the server's without it. */
  text?: string | null;
  seed?: string | null;
  /** False compares nothing with the server. */
  check?: boolean;
}

export interface Digests {
  fingerprint: string | null;
  digests: (string | null)[];
  changed: (boolean | null)[];
}

type Place = readonly [number, number];

export class Terrane {
  constructor(url: string, options?: Options);
  readonly counts: Counts;
  readonly settings: Readonly<Required<Options>>;
  /** Names of the layers of a chunk, those of materials included. */
  readonly planes: readonly string[];
  readonly columns: number;
  readonly origin: string;
  readonly base: string;
  /** Why chunks are not computed here; null if they are, or if nobody asked. */
  localProblem: Error | null;
  chunk(cx: number, cy: number): Promise<Chunk>;
  /** In their order; null beyond the edge of the world. */
  chunks(places: Iterable<Place>): Promise<(Chunk | null)[]>;
  around(x: number, y: number, rings: number): Promise<(Chunk | null)[]>;
  pin(): Promise<string>;
  heights(places: readonly Place[], options?: { layer?: string; zoom?: number | null }): Promise<Float32Array>;
  samples(places: readonly Place[], options?: { layers?: readonly string[]; zoom?: number | null }): Promise<Record<string, Float32Array>>;
  digests(places: readonly Place[], against?: string): Promise<Digests>;
  refresh(cx: number, cy: number): Promise<boolean>;
  /** Each change of the world, until the signal. */
  follow(options?: FollowOptions): AsyncGenerator<Change, void, void>;
  verify(cx: number, cy: number): Promise<boolean>;
  useLocal(options?: LocalOptions): Promise<boolean>;
}

export class TerraneError extends Error {
  constructor(message: string, status?: number, more?: { fits?: number; pause?: number | null });
  /** That of the server's response, or 0. */
  status: number;
  /** How many chunks or places would have been few enough, or 0. */
  fits: number;
  /** Milliseconds after which the same request may succeed, or null. */
  pause: number | null;
}

export function crc32(bytes: Uint8Array): number;
/** X-Terrane-Digest of the bytes of r32f. */
export function digest(bytes: Uint8Array): string;
