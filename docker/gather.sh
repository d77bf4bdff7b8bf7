#!/bin/sh
# Lays out an image's root: a program, the shared libraries it needs, their licences, and a user.
# usage: gather.sh PROGRAM FOLDER
set -eu
program=$1
root=$2
user=10001

mkdir -p "$root/usr/local/bin" "$root/etc" "$root/var/lib/dpkg/status.d"
cp "$program" "$root/usr/local/bin/"

# Each library by its name of the loader's cache, as a plain file in its own folder.
libraries=$(ldd "$program" | grep -oE '/[^ ]+')
for library in $libraries; do
    mkdir -p "$root${library%/*}"
    cp -L "$library" "$root$library"
    # dpkg knows a file by the path it was installed under, which may lack or have the /usr.
    package=$(dpkg -S "$(realpath "$library")" "$library" "${library#/usr}" "/usr$library" \
        2>/dev/null | head -n 1 | cut -d : -f 1)
    # What scanners read to know which package, at which version, a library comes from.
    dpkg -s "$package" >"$root/var/lib/dpkg/status.d/$package"
    mkdir -p "$root/usr/share/doc/$package"
    cp -L "/usr/share/doc/$package/copyright" "$root/usr/share/doc/$package/"
done

echo "terrane:x:$user:$user::/:/usr/sbin/nologin" >"$root/etc/passwd"
echo "terrane:x:$user:" >"$root/etc/group"
echo 'hosts: files dns' >"$root/etc/nsswitch.conf"
# For --cache-disk; a volume that is mounted here takes over whose it is.
mkdir -p "$root/var/cache/terrane"
chown "$user:$user" "$root/var/cache/terrane"
