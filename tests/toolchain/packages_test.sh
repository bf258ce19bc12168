#!/usr/bin/env bash
# packages_test.sh CPACK BUILD VERSION: the packages that CPack makes of a built tree are complete, small and without
# faults for lintian. What the programs and documents name is in them.
set -u
cpack=$1
build=$2
version=$3
scratch=$(mktemp -d)
trap 'rm -rf -- "$scratch"' EXIT

fault() {
    printf '%s\n' "$@"
    exit 1
}

# Fast rather than small; it takes the most time otherwise.
said=$(cd -- "$build" && "$cpack" -B "$scratch" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip 2>&1) ||
    fault "cpack fails:" "$said"

# has PACKAGE FILE...
has() {
    local package=$1 deb file files
    shift
    deb=$(echo "$scratch/$package"_*.deb)
    [[ -f $deb ]] || fault "there is no package $package:" "$said"
    [[ $(dpkg-deb --field "$deb" Version) == "$version-"* ]] || fault "$package has not the version $version"
    files=$(dpkg-deb --contents "$deb")
    for file in "$@" "share/doc/$package/copyright" "share/doc/$package/changelog.gz"; do
        [[ $files == *" ./usr/$file"$'\n'* || $files == *" ./usr/$file" ]] || fault "$package has no $file:" "$files"
    done
}

has drover bin/drover libexec/drover/drover-runner libexec/drover/drover-bench libexec/drover/worker-service \
    share/man/man1/drover.1.gz share/man/man1/drover-submit.1.gz share/man/man1/drover-bench.1.gz \
    share/bash-completion/completions/drover share/fish/vendor_completions.d/drover.fish \
    share/zsh/vendor-completions/_drover \
    lib/systemd/system/drover-worker@.service lib/systemd/system/drover.target lib/sysusers.d/drover.conf \
    lib/tmpfiles.d/drover.conf
has drover-console bin/drover-console share/man/man1/drover-console.1.gz share/applications/drover-console.desktop \
    share/metainfo/drover-console.metainfo.xml share/mime/packages/drover-console.xml \
    share/icons/hicolor/scalable/apps/drover-console.svg
has libdrover-dev lib/libdrover_zk.a lib/cmake/drover/drover-config.cmake lib/pkgconfig/drover.pc \
    include/drover/recipes/locks/mutex.h share/doc/libdrover-dev/examples/CMakeLists.txt

scripts=$(dpkg-deb --ctrl-tarfile "$scratch"/drover_*.deb | tar --list)
for script in postinst prerm postrm; do
    [[ $scripts == *"./$script"* ]] || fault "drover has no $script:" "$scripts"
done

depends=$(dpkg-deb --field "$scratch"/drover_*.deb Depends)
for library in libqt6core6 libqt6sql6-sqlite libzookeeper-st2 libstdc++6; do
    [[ $depends == *"$library"* ]] || fault "drover does not depend on $library: $depends"
done
for library in widgets keychain; do
    [[ $depends != *$library* ]] || fault "drover depends on a library of windows, $library: $depends"
done
depends=$(dpkg-deb --field "$scratch"/drover-console_*.deb Depends)
[[ $depends == *libqt6keychain1* ]] || fault "drover-console does not depend on libqt6keychain1: $depends"

# The files that the programs and man pages name are installed ones. drover-bench builds peers from the sources.
mkdir -- "$scratch/installed"
dpkg-deb --fsys-tarfile "$scratch"/drover_*.deb | tar --extract --directory "$scratch/installed"
documents=$scratch/installed/usr/share/doc/drover
sources=$(dirname -- "$0")/../..
named=$(grep -rnE --include='*.cpp' --exclude-dir=bench '"[^"]*packaging/[a-z]' "$sources/app" "$sources/core" "$sources/workers")
[[ -z $named ]] || fault "these texts name files of the sources:" "$named"
named=$(grep -rhoE '/usr/share/doc/drover/[a-zA-Z_/.-]*[a-zA-Z]' --include='*.cpp' "$sources/app" | sort -u)
[[ $named == *hosts.toml* ]] || fault "the programs name no sample"
for file in $named; do
    [[ -f $scratch/installed$file ]] || fault "the programs name $file, which drover lacks"
done
for page in "$scratch"/installed/usr/share/man/man1/*.gz; do
    ! zgrep -n 'packaging/' "$page" || fault "${page##*/} names a file of the sources"
done
while IFS=: read -r file link; do
    link=${link#']('} link=${link%%#*}
    [[ -e ${file%/*}/${link%')'} ]] || fault "${file#"$documents/"} leads to ${link%')'}, which is not installed"
done < <(grep -roE --include='*.md' '\]\([^):]+\)' "$documents")

readonly limit=$((12 * 1000 * 1000 / 1024)) # KiB of 12 MB
size=$(dpkg-deb --field "$scratch"/drover_*.deb Installed-Size)
((size < limit)) || fault "drover takes $size KiB, more than $limit"

# The changelog of the packages has to be continued with each version.
latest=$(dpkg-deb --fsys-tarfile "$scratch"/drover_*.deb |
    tar -xO ./usr/share/doc/drover/changelog.Debian.gz | zcat | head -n 1)
[[ $latest == "drover ($version-"* ]] || fault "packaging/deb/changelog does not begin with $version: $latest"

if command -v lintian >/dev/null; then
    said=$(lintian --allow-root --tag-display-limit 0 --fail-on error "$scratch"/*.deb 2>&1) || fault "lintian:" "$said"
else
    echo "SKIP   : lintian is not installed"
fi

# What the desktop reads: the entry of the menu, the description for software centres, the kinds of job files.
mkdir "$scratch/root"
dpkg-deb --extract "$scratch"/drover-console_*.deb "$scratch/root"
share=$scratch/root/usr/share
# judge COMMAND...: it finds no fault, or is not installed.
judge() {
    local verdict
    if ! command -v "$1" >/dev/null; then
        echo "SKIP   : $1 is not installed"
        return
    fi
    verdict=$("$@" 2>&1) || fault "$*:" "$verdict"
}
judge desktop-file-validate "$share/applications/drover-console.desktop"
judge appstreamcli validate --no-net "$share/metainfo/drover-console.metainfo.xml"
grep -q "<release version=\"$version\"" "$share/metainfo/drover-console.metainfo.xml" ||
    fault "packaging/desktop/drover-console.metainfo.xml names no release $version"
judge update-mime-database "$share/mime"
if [[ -f $share/mime/globs2 ]]; then
    for format in toml json; do
        grep -qx "80:application/x-drover-job+$format:\*.job.$format" "$share/mime/globs2" ||
            fault "*.job.$format is no job file:" "$(cat "$share/mime/globs2")"
        grep -q "MimeType=.*application/x-drover-job+$format;" "$share/applications/drover-console.desktop" ||
            fault "the entry of the menu does not open *.job.$format"
    done
fi
