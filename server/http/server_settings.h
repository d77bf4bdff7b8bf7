/* From the settings to what a running server holds of them, at the start and at each reload. */
#ifndef TERRANE_SERVER_HTTP_SERVER_SETTINGS_H
#define TERRANE_SERVER_HTTP_SERVER_SETTINGS_H

#include "server/http/connection/generation.h"
#include "server/http/jobs/workers.h"
#include "server/settings/settings.h"

/* Checks and copies what a generation holds of the settings, for `loops` event loops, but for the
 * TLS identity. It has as many connections as the settings say and the limit of file descriptors
 * allows. Takes the catalogue, in failure too. Null with the error. */
struct generation *generation_from_settings(struct catalog *catalog,
                                            const struct settings *settings, unsigned loops,
                                            struct error *error);
/* Reads the certificate and the key as their files are now, for connections that come under this
 * generation. */
bool generation_load_identity(struct generation *generation, const struct settings *settings,
                              struct error *error);
/* The bytes that reseeded worlds may take of cache_memory, and previews as well. */
size_t reseeded_limit_from_settings(const struct settings *settings);
struct workers_limits workers_limits_from_settings(const struct settings *settings);

#endif
