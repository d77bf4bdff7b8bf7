import type { Terrane } from './terrane.js';

/** Players' edits of the ground, kept as differences on a pinned base. */
export class Edits {
  static open(terrane: Terrane, text?: string | null): Promise<Edits>;
  /** The pinned name of the base. */
  readonly world: string;
  /** The edited chunks. */
  readonly places: [number, number][];
  /** For open(). */
  text(): string;
  /** The height of a vertex, in metres, from now on; null takes the edit back. */
  set(x: number, y: number, height: number | null): void;
  /** The heights of a chunk, edits included. */
  heights(cx: number, cy: number): Promise<Float32Array>;
  note(): Promise<void>;
  /** The edited chunks whose ground is another one in the client's world. */
  check(terrane?: Terrane): Promise<[number, number][]>;
  moveTo(terrane: Terrane, decide?: (height: number, before: number, after: number) => number | null): Promise<Edits>;
}
