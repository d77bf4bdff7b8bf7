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
    rm -rf "$folder.new"
    mkdir -p "$folder.new"
    # apt checks the signature.
    (cd "$folder.new" && apt-get -qq download -o APT::Sandbox::User=root prometheus >/dev/null 2>&1) || {
        echo "there is no promtool, and the package \"prometheus\" cannot be downloaded" >&2
        exit 1
    }
    dpkg-deb --fsys-tarfile "$folder.new"/prometheus_*.deb |
        tar -x -C "$folder.new" --strip-components=3 ./usr/bin/promtool
    rm -rf "$folder.new"/*.deb "$folder"
    mv "$folder.new" "$folder" # whole or not at all
fi
echo "$folder/promtool"
