/* Allocations that fail on demand. The program is linked with --wrap for each function of the
 * allocator's, against static libraries where a library allocates too. For one thread. */
#ifndef TERRANE_TESTS_FAULTS_ALLOCATION_FAULTS_H
#define TERRANE_TESTS_FAULTS_ALLOCATION_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

enum fault_mode {
    FAULT_ONCE,    /* one allocation fails */
    FAULT_ONWARDS, /* it and all after it */
};

/* Counts allocations until faults_clear(), and chooses those that are worth a run of their own: the
 * first ones, the first ones of each stack of callers, and a few of all. */
void faults_record(void);
size_t faults_recorded(void);
bool faults_is_chosen(size_t number);

/* The number-th allocation from now on fails, counted from 1. */
void faults_inject(enum fault_mode mode, size_t number);
/* None fails any more. */
void faults_clear(void);
/* True if an allocation has failed since faults_inject(). */
bool faults_triggered(void);

#endif
