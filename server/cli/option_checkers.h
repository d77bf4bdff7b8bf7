/* The checks of options that settings/ cannot make, as it may not include the folders that define
 * the syntax of addresses and URLs. To be set in struct options before options are added. */
#ifndef TERRANE_SERVER_CLI_OPTION_CHECKERS_H
#define TERRANE_SERVER_CLI_OPTION_CHECKERS_H

#include "server/settings/options.h"

extern option_checker *const option_checkers[CHECK_COUNT];

#endif
