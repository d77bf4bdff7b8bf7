#include "core/base/lanes.h"

const float lanes_zero = 0.0f, lanes_one = 1.0f;
