/* The work of making a world from its file, counted in steps.
 *
 * The count depends on the file alone, not on the seed or the machine. All steps take about the
 * same time, some 22 ns, so the count bounds what making the world, or reseeding it, costs, and a
 * limit on it (COMPILE_WORK_MAX) bounds the time. tests/fuzz/fuzz_compile.c looks for files whose
 * time and count disagree. */
#ifndef TERRANE_PROGRAM_WORK_H
#define TERRANE_PROGRAM_WORK_H

enum {
    WORK_BYTES = 6,     /* bytes of the file that are read in a step */
    WORK_VALUE = 10,    /* to read a value of a style, and make a painter of it */
    WORK_TOKEN = 1,     /* to read a token of a formula */
    WORK_NODE = 5,      /* to make a part of a formula, and to write it into the fingerprint */
    WORK_TEXT = 16,     /* to set up a formula: its path, its name */
    WORK_FORMULA = 1,   /* to compile a part of a formula in a scope, besides its operations; */
    WORK_REMEMBER = 4,  /* one that has parts itself, */
    WORK_CALL = 4,      /* a call, */
    WORK_NAMED = 4,     /* and each argument that is given by name */
    WORK_OPERATION = 1, /* to add an operation, or to find that it is there */
    WORK_NOISE = 10,    /* to read the arguments of a noise */
    WORK_OCTAVE = 4,    /* to prepare an octave of a noise */
    WORK_SALT = 64,     /* bytes of a salt that are hashed in a step */
    WORK_ANALYSED = 16, /* operations that are analysed in a step, */
    WORK_GROUP = 16,    /* and the steps for a group of 64 noises */
};

#endif
