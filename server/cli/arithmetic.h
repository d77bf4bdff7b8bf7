/* What the machine can do at best: the bound that measured noises stand beside. */
#ifndef TERRANE_SERVER_CLI_ARITHMETIC_H
#define TERRANE_SERVER_CLI_ARITHMETIC_H

/* Nanoseconds this machine needs for one float multiplication or addition in a vectorised loop,
 * measured now, in about 3 ms. */
double arithmetic_measure(void);
/* The instruction set that the loader chose for vectorised loops. */
const char *arithmetic_instructions(void);

#endif
