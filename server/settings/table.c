/* The rows of table.def as an array. Names of members and types come from the row, so that offset
 * and kind always agree. */
#include "server/base/priority.h"
#include "server/settings/settings.h"

#define BYTES_MAX ((int64_t)1 << 46)

#define KIND_whole OPTION_WHOLE
#define KIND_bytes OPTION_BYTES
#define KIND_text OPTION_TEXT
#define KIND_list OPTION_LIST
#define KIND_switch OPTION_SWITCH

const struct option_row option_table[OPTION_COUNT] = {
#define OPTION(id, flag, for_commands, ...)                                                        \
    [OPTION_##id] = {.name = flag, .commands = (for_commands), __VA_ARGS__},
#define SETTING(id, member, flag, type, for_commands, ...)                                         \
    [OPTION_##id] = {.name = flag,                                                                 \
                     .kind = KIND_##type,                                                          \
                     .scope = SCOPE_SETTING,                                                       \
                     .commands = (for_commands),                                                   \
                     .offset = offsetof(struct settings, member),                                  \
                     __VA_ARGS__},
#include "server/settings/table.def"
};
