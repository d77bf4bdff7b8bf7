/* The two constants of lanes.h, in a file of their own so that no other one sees their values. */
#include "core/base/lanes.h"

const float lanes_zero = 0.0f, lanes_one = 1.0f;
