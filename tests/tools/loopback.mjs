/* An address of this machine's at which no other process listens, and ports of it: one that is given up for a
 * while, or was only chosen, is still free then. */

export const host = `127.${64 + ((process.pid >> 16) & 63)}.${(process.pid >> 8) & 255}.${process.pid & 255}`;

let next = 20000;
export const takePort = () => next++;
