/* From the settings to a generation: what a reload may change. */
#ifndef TERRANE_SERVER_HTTP_GENERATION_SETTINGS_H
#define TERRANE_SERVER_HTTP_GENERATION_SETTINGS_H

#include "server/http/connection/generation.h"
#include "server/settings/settings.h"

/* Checks and copies what a generation holds of the settings, for `loops` event loops. Takes the
 * catalogue, in failure too. Null with the error. */
struct generation *generation_from_settings(struct catalog *catalog,
                                            const struct settings *settings, unsigned loops,
                                            struct error *error);

#endif
