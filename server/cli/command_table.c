/* The table of commands: name, the bit of its options (settings/options.h), the arguments as --help
 * shows them, how many there may be besides options, the summary, and the function. */
#include "server/cli/command.h"

const struct command command_table[] = {
    {"serve", FOR_SERVE, "", 0, "serve tiles over HTTP until SIGTERM or SIGINT", command_serve},
    {"render", FOR_RENDER, "(--tile Z/X/Y | --bbox X0,Y0,X1,Y1 --width N) -o FILE", 0,
     "write one tile in any format, or a picture of any size", command_render},
    {"export", FOR_EXPORT, "[--bbox X0,Y0,X1,Y1] [--zoom MIN-MAX | --step METRES] -o FILE", 0,
     "write a rectangle as one file of map tiles, as a raster or a mesh, or as a folder of heights "
     "for a game engine",
     command_export},
    {"merge", FOR_MERGE, "SHARD|FOLDER… -o FILE", SIZE_MAX,
     "join the parts of a split export, byte by byte what one export would have made",
     command_merge},
    {"verify", FOR_VERIFY, "FILE…", SIZE_MAX,
     "check an export: its structure, the digest of its tiles, and some tiles made anew",
     command_verify},
    {"query", FOR_QUERY, "X Y | -", 2,
     "print the values at a place, or at each \"x y\" of standard input", command_query},
    {"profile", FOR_PROFILE, "--line X,Y;X,Y[;…]", 0, "print the heights along a line",
     command_ask},
    {"stats", FOR_STATS, "--bbox X0,Y0,X1,Y1", 0, "print statistics of the layers in a rectangle",
     command_ask},
    {"locate", FOR_LOCATE,
     "(--where CONDITION | --biome NAME | --min-height H | --feature KIND) X Y", 2,
     "find the nearest places of a condition, a biome or a height", command_ask},
    {"seeds", FOR_SEEDS, "--where CONDITION", 0,
     "find seeds of a world with places of some conditions near a place", command_seeds},
    {"objects", FOR_OBJECTS, "--bbox X0,Y0,X1,Y1", 0, "list the trees and rocks in a rectangle",
     command_ask},
    {"trace", FOR_TRACE, "X Y", 2, "print the way of the water from a place to the sea",
     command_ask},
    {"rivers", FOR_RIVERS, "--bbox X0,Y0,X1,Y1", 0, "list the rivers in a rectangle", command_ask},
    {"health", FOR_HEALTH, "[URL]", 1,
     "ask a daemon whether it is ready: exit status 0, or 1 if it is not or does not answer in 2 "
     "seconds",
     command_health},
    {"check", FOR_CHECK, "[FILE…] | --digest [DIGEST] | --golden | --program WORLD[:LAYER]",
     SIZE_MAX,
     "check files of worlds, styles and settings; without files, all that serve would load; or the "
     "numbers of this build; or print a compiled world",
     command_check},
    {"worlds", FOR_WORLDS, "", 0, "list the worlds", command_worlds},
    {"styles", FOR_STYLES, "", 0, "list the shared styles, or all styles of one world",
     command_styles},
    {"formulas", FOR_FORMULAS, "", 0, "list the functions of the formula language",
     command_formulas},
    {"cache", FOR_CACHE, "FILE", 1, "show, check or purge a cache of tiles on a disk",
     command_cache},
    {"bench", FOR_BENCH, "", 0, "measure how fast this machine samples noise", command_bench},
};
const size_t command_count = sizeof command_table / sizeof command_table[0];
