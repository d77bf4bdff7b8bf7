/* How much a test tries: `make test-long` sets TERRANE_LONG. */

export const amount = (usual, long) => (process.env.TERRANE_LONG ? long : usual);
