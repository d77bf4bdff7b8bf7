#!/bin/bash
# Builds the Debian packages terrane, libterrane0 and libterrane-dev of this machine's architecture.
# usage: deb.sh FOLDER [PACKAGE...]   puts them there; the variables are those of install.sh. The same sources and
# SOURCE_DATE_EPOCH give the same bytes. DEBFULLNAME and DEBEMAIL name who packages.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${BUILD:?}" "${SOURCE_DATE_EPOCH:?}" "${1:?}"
export SOURCE_DATE_EPOCH
output=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- terrane libterrane0 libterrane-dev
for program in dpkg-deb dpkg-shlibdeps dpkg-architecture strip; do
    command -v "$program" >/dev/null || { echo "deb.sh: $program is missing; install dpkg-dev and binutils" >&2; exit 1; }
done
version=$(sed -n 's/^.define TERRANE_VERSION "\(.*\)"/\1/p' core/terrane.h)
architecture=$(dpkg --print-architecture)
libraries=/usr/lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)
maintainer="${DEBFULLNAME:-The Terrane authors} <${DEBEMAIL:-terrane@users.noreply.github.com}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# dpkg-shlibdeps wants the control file of a source package.
mkdir "$work/debian"
printf 'Source: terrane\n\nPackage: terrane\nArchitecture: any\n' >"$work/debian/control"
echo "libterrane 0 libterrane0 (>= $version)" >"$work/shlibs"

# Fields of a package: name, parts of install.sh, section, relations beside the shared libraries, description.
describe() {
    case $1 in
    terrane)
        parts=program section=net relations='' title='procedural terrain tile server'
        text=' Terrane serves endless procedural worlds over HTTP: map tiles, vector
 tiles, raw height chunks for game engines, and queries about any place.
 .
 A world is one JSON file: a seed and a few formulas over noise. Every
 sample is a pure function of world and place, so all machines compute the
 same bits and caches never go stale.'
        ;;
    libterrane0)
        parts=library section=libs relations='' title='procedural terrain library'
        text=' The shared library samples the worlds of Terrane in other programs, with
 the bits that the server has.'
        ;;
    libterrane-dev)
        parts=development section=libdevel relations="libterrane0 (= $version), libcjson-dev"
        title='procedural terrain library (development files)'
        text=' The header, the static library and the pkg-config file for programs that
 sample the worlds of Terrane.'
        ;;
    esac
}

changelog() {
    cat <<END
terrane ($version) unstable; urgency=medium

  * Built from the sources of this version.

 -- $maintainer  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END
}

# The packages that the programs and libraries of a root link to.
shared_libraries() {
    local -a files
    mapfile -t files < <(find "$1" -type f \( -path '*/bin/*' -o -name '*.so.*' \))
    ((${#files[@]})) || return 0
    (cd "$work" && dpkg-shlibdeps -O --ignore-missing-info "${files[@]}" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

build() {
    local package=$1 root=$work/$1 depends file
    describe "$package"
    DESTDIR=$root PREFIX=/usr LIBDIR=$libraries SYSCONFDIR=/etc config/package/install.sh install "$parts"
    find "$root" -type f \( -path '*/bin/*' -o -name '*.so.*' \) \
        -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +
    find "$root" -name '*.so.*' -exec chmod 644 {} +
    find "$root" -name '*.a' -exec strip --strip-debug --enable-deterministic-archives {} +
    mkdir -p "$root/usr/share/doc/$package" "$root/DEBIAN"
    changelog | gzip -9n >"$root/usr/share/doc/$package/changelog.gz"
    [ -e "$root/usr/share/doc/$package/copyright" ] || install -m 644 LICENSE "$root/usr/share/doc/$package/copyright"
    depends=$(shared_libraries "$root")
    depends=$depends${relations:+${depends:+, }$relations}
    {
        printf '%s\n' "Package: $package" 'Source: terrane' "Version: $version" "Architecture: $architecture" \
            "Maintainer: $maintainer" "Section: $section" 'Priority: optional' \
            "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)" ${depends:+"Depends: $depends"} \
            "Description: $title" "$text"
    } >"$root/DEBIAN/control"
    case $package in
    terrane)
        echo /etc/terrane/terrane.json >"$root/DEBIAN/conffiles"
        for file in postinst prerm postrm; do install -m 755 "config/package/debian/$file" "$root/DEBIAN/$file"; done
        ;;
    libterrane0)
        cp "$work/shlibs" "$root/DEBIAN/shlibs"
        echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
        ;;
    esac
    (cd "$root" && find . -type f ! -path './DEBIAN/*' ! -path './etc/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    chmod -R u=rwX,go=rX "$root"
    rm -f "$output/${package}"_*"_$architecture.deb"
    dpkg-deb --root-owner-group --build "$root" "$output/${package}_${version}_$architecture.deb" >/dev/null
    echo "$output/${package}_${version}_$architecture.deb"
}

for package in "$@"; do build "$package"; done
