#!/bin/sh
# Installs the program and everything that belongs to it, or removes exactly that again.
# usage: install.sh install|uninstall [PART...]   from the top of the project
#   BUILD is the folder of the built files. PREFIX, LIBDIR and SYSCONFDIR are where files shall be found, and
#   DESTDIR is put in front of them. The parts are program, library and development; without any, all.
# A settings file that is there already is kept; uninstall keeps one that was changed.
set -eu
umask 022
: "${BUILD:?}" "${PREFIX:?}" "${LIBDIR:?}" "${SYSCONFDIR:?}" "${SOURCE_DATE_EPOCH:?}" "${DESTDIR=}"
for folder in "$PREFIX" "$LIBDIR" "$SYSCONFDIR"; do
    case $folder in
    [!/]* | *[\|\&\\[:space:]]*)
        echo "install.sh: PREFIX and LIBDIR must begin with / and have no space, | & or \\, unlike \"$folder\"" >&2
        exit 2
        ;;
    esac
done
action=${1-}
[ $# = 0 ] || shift
parts=" ${*:-program library development} "
share=$PREFIX/share
data=$share/terrane
# Debian's zsh looks in a folder of its own for what packages bring.
zsh=$share/zsh/site-functions
[ "$PREFIX" != /usr ] || zsh=$share/zsh/vendor-completions
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%F)
version=$(sed -n 's/^.define TERRANE_VERSION "\(.*\)"/\1/p' core/terrane.h)

# The names of the manual pages: those that were built, or when uninstalling those that are there.
pages() {
    if [ "$action" = install ]; then
        (cd "$BUILD/package/man" && ls)
    else
        (cd "$DESTDIR$share/man" 2>/dev/null && find man1 man5 -name 'terrane*.gz' | sed 's|.*/\(.*\)\.gz|\1|')
    fi
}

# Calls `$1 MODE SOURCE DESTINATION` for each file of the parts, in which "@NAME@" is filled in if the mode is
# "fill"; those of mode "link" are symbolic links to SOURCE, and "settings" is the one that users change. "licences"
# is followed by those of the packages that the map page and terrane.wasm are made of.
each() {
    case $parts in *' program '*)
        "$1" 755 "$BUILD/terrane" "$PREFIX/bin/terrane"
        "$1" 644 config/terrane.json "$data/terrane.json"
        for file in config/*.schema.json config/worlds/*.json config/styles/*.json; do
            "$1" 644 "$file" "$data/${file#config/}"
        done
        # The library as WebAssembly, where it was built; the packages have it.
        for file in terrane.wasm terrane.wasm.gz terrane.wasm.zst; do
            [ "$action" != install ] || [ -e "$BUILD/../wasm/$file" ] || continue
            "$1" 644 "$BUILD/../wasm/$file" "$data/$file"
        done
        "$1" settings config/package/terrane.json "$SYSCONFDIR/terrane/terrane.json"
        for unit in terrane.service terrane.socket; do
            "$1" fill "config/$unit" "$PREFIX/lib/systemd/system/$unit"
        done
        for page in $(pages); do
            "$1" page "$BUILD/package/man/$page" "$share/man/man${page##*.}/$page.gz"
        done
        "$1" 644 "$BUILD/package/completion/terrane.bash" "$share/bash-completion/completions/terrane"
        "$1" 644 "$BUILD/package/completion/_terrane" "$zsh/_terrane"
        "$1" 644 "$BUILD/package/completion/terrane.fish" "$share/fish/vendor_completions.d/terrane.fish"
        "$1" licences LICENSE "$share/doc/terrane/copyright"
        "$1" gzip .github/CHANGELOG.md "$share/doc/terrane/NEWS.gz"
        ;;
    esac
    case $parts in *' library '*)
        "$1" 755 "$BUILD/libterrane.so.0" "$LIBDIR/libterrane.so.0"
        ;;
    esac
    case $parts in *' development '*)
        "$1" link libterrane.so.0 "$LIBDIR/libterrane.so"
        "$1" 644 "$BUILD/pic/libterrane.a" "$LIBDIR/libterrane.a"
        "$1" 644 core/terrane.h "$PREFIX/include/terrane.h"
        "$1" fill core/terrane.pc.in "$LIBDIR/pkgconfig/terrane.pc"
        ;;
    esac
}

fill() {
    sed -e "s|@PREFIX@|$PREFIX|g" -e "s|@LIBDIR@|$LIBDIR|g" -e "s|@DATA@|$data|g" -e "s|@SYSCONF@|$SYSCONFDIR|g" \
        -e "s|@VERSION@|$version|g" -e "s|@DATE@|$date|g" "$1"
}
install_file() {
    target=$DESTDIR$3
    mkdir -p "${target%/*}"
    case $1 in
    link) ln -sf "$2" "$target" ;;
    fill) fill "$2" >"$target" ;;
    settings) [ -e "$target" ] || fill "$2" >"$target" ;;
    page) fill "$2" | gzip -9n >"$target" ;;
    gzip) gzip -9n <"$2" >"$target" ;;
    licences)
        {
            cat "$2" "$BUILD/page/licenses.txt"
            # cJSON is a part of terrane.wasm.
            [ ! -e "$BUILD/../wasm/terrane.wasm" ] || { printf '\n---\n\ncJSON\n\n' && cat "$BUILD/../cjson/cjson/LICENSE"; }
        } >"$target"
        ;;
    *) install -m "$1" "$2" "$target" ;;
    esac
    case $1 in [a-z]*) [ -L "$target" ] || chmod 644 "$target" ;; esac
}
uninstall_file() {
    target=$DESTDIR$3
    if [ "$1" = settings ] && [ -e "$target" ] && ! fill "$2" | cmp -s - "$target"; then
        echo "kept, as it was changed: $target"
        return
    fi
    rm -f "$target"
}

case $action in
install) each install_file ;;
uninstall)
    each uninstall_file
    # The folders that are terrane's alone.
    for folder in "$data/worlds" "$data/styles" "$data" "$share/doc/terrane" "$SYSCONFDIR/terrane"; do
        [ ! -d "$DESTDIR$folder" ] || rmdir --ignore-fail-on-non-empty "$DESTDIR$folder"
    done
    ;;
*)
    echo "usage: install.sh install|uninstall [program] [library] [development]" >&2
    exit 2
    ;;
esac
