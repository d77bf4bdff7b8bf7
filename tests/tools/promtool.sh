#!/bin/sh
# Prints the path of promtool, which checks metrics and rules: the machine's own, or the one of
# Debian's package of Prometheus, unpacked under build/ without being installed (a test needs no
# daemon). Fails with a line that says why there is none.
# usage: promtool.sh
set -eu
if command -v promtool; then
    exit 0
fi
folder=$(pwd)/build/promtool
if [ ! -x "$folder/promtool" ]; then
    if ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-deb >/dev/null 2>&1; then
        echo "there is no promtool, and no apt-get to fetch it with" >&2
        exit 1
    fi
    # Several tests may ask at once: each unpacks for itself, and one of them is taken whole.
    mkdir -p build
    new=$(mktemp -d "$folder.XXXXXX")
    trap 'rm -rf "$new"' EXIT
    # apt checks the signature.
    (cd "$new" && apt-get -qq download -o APT::Sandbox::User=root prometheus >/dev/null 2>&1) || {
        echo "there is no promtool, and the package \"prometheus\" cannot be downloaded" >&2
        exit 1
    }
    dpkg-deb --fsys-tarfile "$new"/prometheus_*.deb |
        tar -x -C "$new" --strip-components=3 ./usr/bin/promtool
    mkdir -p "$folder"
    mv "$new/promtool" "$folder/promtool"
fi
echo "$folder/promtool"
