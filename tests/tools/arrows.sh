#!/bin/sh
# Checks who includes whom, and that libterrane.a is pure: that it calls nothing but what a pure
# library may call and has no variable of its own.
# usage: arrows.sh LIBTERRANE_A
set -eu
library=$1
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# Folder: what its files may include, besides their own folder's headers.
arrows='core/base:
core/noise: core/base
core/world: core/base core/noise
core/terrain: core/base core/world
core/tile: core/base core/world core/terrain
core/encode: core/base core/tile
core: core/base core/world
core/examples:
server/cache: core/base server/base/clock.h server/log/log.h
server/archive: core/base
server/http: core/base core/noise core/world core/terrain core/tile core/encode server server/cache
server: core core/base core/noise core/world core/terrain core/tile core/encode server/cache server/http/server.h'

# Header: the only files that may include it (an extended regular expression).
owners='cjson/.*:core/world/json[a-z_]*\.c
png\.h|isa-l.*|igzip.*|libdeflate\.h|zlib\.h|zstd\.h|webp/.*:core/encode/.*
microhttpd\.h:server/http/.*
gnutls/.*:server/http/tls\.c
sqlite3\.h:server/(cache|archive)/.*
libhashkit/.*:server/cache/shared_ring\.c
terrane\.h:core/examples/.*'

# What the core may include of the system: nothing that does input, output, threads or time.
system='(assert|errno|float|inttypes|limits|math|setjmp|stdarg|stdbool|stddef|stdint|stdio|stdlib|string)\.h'

# What libterrane.a may call: memory, strings, formatting into memory, exact arithmetic, sorting,
# the libraries it is built on, and what the compiler itself calls (target clones, 128 bits, jumps).
calls='malloc|calloc|realloc|aligned_alloc|free|mem(cpy|move|set|cmp|chr)|str(len|cmp|ncmp|chr|rchr|cpy|ncpy|cspn|spn|str|dup|ndup)
qsort|bsearch|v?snprintf|__v?snprintf_chk|__mem(cpy|move|set)_chk|__stack_chk_fail|abort
sqrtf?|floorf?|ceilf?|truncf?|fabsf?|rintf?|nearbyintf?|frexpf?|ldexpf?
cJSON_.*|png_.*|isal_.*|libdeflate_.*|ZSTD_.*|WebP[A-Z].*|crc32.*
_?setjmp|__sigsetjmp|longjmp|__cpu_model|__cpu_indicator_init|__cpu_features2|_GLOBAL_OFFSET_TABLE_
__(u?mod|u?div|u?divmod)ti[34]|__(fix|float)[a-z]*ti[a-z]*'

list_includes() {
    find core server -name '*.[ch]' -print0 | xargs -0 grep -HE '^ *# *include' |
        sed -E 's/^([^:]*): *# *include *([<"])([^>"]*).*/\1 \2 \3/'
}

list_includes | awk -v arrows="$arrows" -v owners="$owners" -v system_headers="$system" '
BEGIN {
    count = split(arrows, lines, "\n")
    for (i = 1; i <= count; i++) {
        split(lines[i], parts, ":")
        known[parts[1]] = 1
        n = split(parts[2], targets, " ")
        for (k = 1; k <= n; k++) may[parts[1], targets[k]] = 1
    }
    owner_count = split(owners, owner, "\n")
}
function folder(path) { sub("/[^/]*$", "", path); return path }
$2 == "\"" {
    from = folder($1); to = folder($3)
    if (!(from in known)) print $1 ": its folder has no arrows: name it in tests/tools/arrows.sh"
    else if (from != to && !((from, to) in may) && !((from, $3) in may))
        print $1 ": may not include \"" $3 "\""
    if (!(to in known)) print $1 ": include \"" $3 "\" from the root of the project"
}
$2 == "<" {
    owned = 0
    for (i = 1; i <= owner_count; i++) {
        split(owner[i], parts, ":")
        if ($3 !~ "^(" parts[1] ")$") continue
        owned = 1
        if ($1 !~ "^(" parts[2] ")$") print $1 ": may not include <" $3 ">"
    }
    if (!owned && $1 ~ "^core/" && $3 !~ "^" system_headers "$")
        print $1 ": the core may not include <" $3 ">"
}' >"$report"

allowed=$(printf '%s' "$calls" | tr '\n' '|')
nm --format=sysv "$library" | awk -F '|' -v allowed="^($allowed)\$" '
/^Symbols from / { object = $0; sub(/.*\[/, "", object); sub(/\].*/, "", object) }
NF < 7 { next }
{
    name = $1; class = $3; section = $7
    gsub(/ /, "", name); gsub(/ /, "", class); gsub(/ /, "", section)
    if (class == "U" || class == "w") { called[name] = called[name] " " object; next }
    if (class ~ /^[A-TV-Z]$/ || class == "i") defined[name] = 1
    if (class ~ /^[dDbBsSgGcC]$/ && section !~ /^\.data\.rel\.ro/)
        print object ": has the variable " name
}
END {
    for (name in called)
        if (!(name in defined) && name !~ allowed) print "calls " name ":" called[name]
}' | sort >>"$report"

if [ -s "$report" ]; then
    cat "$report"
    exit 1
fi
echo "arrows: includes and symbols are as they should be"
