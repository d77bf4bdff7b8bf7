/* The machine's peak rate of float operations, as a bound for the figures of `terrane bench`. */
#ifndef TERRANE_SERVER_CLI_ARITHMETIC_H
#define TERRANE_SERVER_CLI_ARITHMETIC_H

/* Nanoseconds for one float multiplication or addition in a vectorised loop; measures for about 3
 * ms.
 */
double arithmetic_measure(void);
/* The instruction set that the loader chose for vectorised loops. */
const char *arithmetic_instructions(void);

#endif
