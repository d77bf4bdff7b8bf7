#!/bin/bash
# Installs the Debian packages in a fresh root, runs the service's command there as a user without rights, upgrades,
# removes and purges them, and looks for what is left. lintian reads them first. Says so and does nothing where a
# program is missing, or for a user who may not use chroot.
# usage: test.sh FOLDER   the folder of the packages; BASE=FOLDER is a Debian root to copy instead of a new one
set -euo pipefail
cd "$(dirname "$0")/../.."
packages=$(realpath "$1")

missing=''
for program in debootstrap lintian curl; do
    PATH=$PATH:/usr/sbin command -v "$program" >/dev/null || missing="$missing $program"
done
[ "$(id -u)" = 0 ] || missing="$missing root"
if [ -n "$missing" ]; then
    echo "skipped: the packages are not installed here, as there is no$missing"
    exit 0
fi

work=$(mktemp -d)
root=$work/root server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait || true
    rm -rf "$work"
}
trap finish EXIT
fail() {
    echo "FAILED: $*"
    exit 1
}
# The files and folders that packages may leave, without what apt and dpkg know and write of them.
files() {
    (cd "$root" && find . -xdev \( -path ./var/lib/apt -o -path ./var/cache -o -path ./var/log -o -path ./tmp \) -prune \
        -o ! -path './var/lib/dpkg/*' -print | sort)
}
# Runs a command in the root; says what it wrote only if it fails.
inside() {
    chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; fail "$*"; }
}

lintian --no-cfg --allow-root --profile debian --fail-on error "$packages"/*.deb || fail "lintian finds errors"

if [ -n "${BASE-}" ]; then
    cp -a "$BASE" "$root"
else
    release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
    PATH=$PATH:/usr/sbin debootstrap --variant=minbase "$release" "$root" >"$work/log" 2>&1 ||
        { tail -n 20 "$work/log"; exit 1; }
fi
cp /etc/resolv.conf "$root/etc/"
cp "$packages"/*.deb "$root/tmp/"
inside apt-get update
# The packages that terrane needs stay, so that only its own files make a difference.
depends=$(for package in "$packages"/*.deb; do dpkg-deb --field "$package" Depends; done | tr ',' '\n' |
    sed -n 's/^ *\([^ ]*\).*/\1/p' | grep -v '^libterrane')
# shellcheck disable=SC2086 # a list of words
inside apt-get install -y --no-install-recommends $depends
files >"$work/before"
inside sh -c 'apt-get install -y --no-install-recommends /tmp/*.deb'
inside dpkg --verify terrane libterrane0 libterrane-dev
for link in multi-user.target.wants/terrane.service sockets.target.wants/terrane.socket; do
    [ -L "$root/etc/systemd/system/$link" ] || fail "$link is not enabled"
done
inside terrane check --golden
inside terrane check /etc/terrane/terrane.json

# As systemd would: the command of the unit, a user of its own, the cache folder its own, the port a free one.
mkdir -p "$root/var/cache/terrane"
chown 61234:61234 "$root/var/cache/terrane"
read -r -a line < <(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/terrane.service")
chroot --userspec=61234:61234 "$root" env -i TERRANE_LISTEN=127.0.0.1:0 "${line[@]}" >"$work/first" 2>"$work/said" &
server=$!
until url=$(sed -n 's/^listening on //p' "$work/first") && [ -n "$url" ]; do
    kill -0 "$server" 2>/dev/null || fail "it did not start: $(cat "$work/said")"
    sleep 0.1
done
curl -fsS "$url/tiles/3/4/2.png" -o "$work/tile.png" || fail "no tile"
curl -fsS "$url/terrane.wasm" -o "$work/terrane.wasm" || fail "no terrane.wasm"
[ "$(head -c 8 "$work/tile.png" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "the tile is no PNG"
kill "$server"
wait "$server" || fail "it ended with status $?"
server=''
[ -s "$root/var/cache/terrane/tiles.db" ] || fail "it has no cache"

# An upgrade keeps changed settings; so does removing; purging does not.
echo '{ "queue": 7 }' >"$root/etc/terrane/terrane.json"
inside sh -c 'apt-get install -y --reinstall /tmp/*.deb'
grep -q '"queue": 7' "$root/etc/terrane/terrane.json" || fail "the settings were overwritten"
inside apt-get remove -y terrane libterrane0 libterrane-dev
[ -e "$root/etc/terrane/terrane.json" ] || fail "removing took the settings away"
inside dpkg --purge terrane
files >"$work/after"
diff "$work/before" "$work/after" || fail "files were left or lost"
[ ! -e "$root/var/cache/terrane" ] || fail "the cache was left"
echo "1 passed, 0 failed"
