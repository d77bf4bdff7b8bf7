export type Wasm = WebAssembly.Module | BufferSource | string | URL;
/** Metres, or units of 1/65536 m. */
export type Position = number | bigint;

export interface GridOptions {
  /** The north-west sample. */
  x: Position;
  y: Position;
  step: Position;
  columns: number;
  rows: number;
  /** Level of detail in metres: the step without it, 0 for full detail. */
  spacing?: number;
  z?: number;
  t?: number;
}

export type Samples = Record<string, Float32Array>;

/** libterrane as WebAssembly. */
export class Library {
  /** The module beside this file without an argument. */
  static open(wasm?: Wasm): Promise<Library>;
  constructor(module: WebAssembly.Module);
  readonly version: string;
  load(text: string, options?: { seed?: string | null; name?: string }): World;
}

/** A world, until release(). The name `materials` stands for the shares of all materials. */
export class World {
  private constructor();
  readonly fingerprint: string;
  readonly layers: readonly string[];
  readonly materials: readonly string[];
  check(names: readonly string[]): void;
  grid(names: readonly string[], grid: GridOptions): Samples;
  volume(names: readonly string[], volume: GridOptions & { zStep: number; slices: number }): Samples;
  points(names: readonly string[], places: readonly (readonly [Position, Position])[],
    options?: { zoom?: number | null; z?: number; t?: number }): Samples;
  release(): void;
}

export function openModule(wasm: Wasm): Promise<WebAssembly.Module>;
