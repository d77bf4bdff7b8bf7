#!/bin/sh
# Formats the C sources, or checks that they are formatted.
# usage: format.sh write|check
# Releases of clang-format differ in detail; this is the one the sources follow.
set -eu
release=14
tool=
for name in "clang-format-$release" clang-format; do
    if command -v "$name" >/dev/null && "$name" --version | grep -q "version $release\."; then
        tool=$name
        break
    fi
done
if [ -z "$tool" ]; then
    echo "format: there is no clang-format $release here, so nothing is looked at"
    exit 0
fi
case ${1-} in
write) set -- -i ;;
check) set -- --dry-run -Werror ;;
*)
    echo "usage: format.sh write|check" >&2
    exit 2
    ;;
esac
find core server tests -name node_modules -prune -o -name '*.[ch]' -print0 |
    xargs -0 "$tool" "$@"
