export interface Grid {
  /** Place of the first vertex and distance between vertices, in metres. */
  readonly x: number;
  readonly y: number;
  readonly step: number;
  /** Vertices a side. */
  readonly columns: number;
  readonly heights: ArrayLike<number>;
}

/** Positions X (east), Y (up), Z (south) of the vertices of a chunk, closed against coarser ones beside it. */
export function stitch(chunk: Grid, others: readonly Grid[]): Float32Array;
/** Two triangles for each square, counter-clockwise from above. */
export function triangles(columns: number): Uint32Array;
