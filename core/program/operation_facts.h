/* The octaves that single operations take, and what they use, for their rows. */
#ifndef TERRANE_PROGRAM_OPERATION_FACTS_H
#define TERRANE_PROGRAM_OPERATION_FACTS_H

#include "core/program/operation_row.h"

operation_octaves octaves_of_noise;
operation_octaves octaves_of_network;
operation_octaves octaves_of_cell;
operation_octaves octaves_of_gullies;
operation_octaves octaves_of_polyline;
operation_wave wave_of_cell;
operation_wave wave_of_noise;
operation_wave wave_of_cycle;
operation_wave wave_of_network;

/* The nanoseconds of a sample of the operation itself, of a grid or at a place, without what noises
 * and nodes take (struct operation_row). */
double operation_time(const struct operation *operation, bool at_place);
/* What the operation itself and its operands use: USES_Z … */
uint8_t program_uses(const struct program *program, const struct operation *operation);

#endif
