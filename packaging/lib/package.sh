# shellcheck shell=bash
# `packaging/run package`, `install` and `test-package`: what others install, from the build tree of the release.

readonly package_build=$build_root/packages # the packages, and nothing else that one needs

prepare_to_package() {
    prepare_to_run
    install_packages "${package_packages[@]}"
}

# build_packages_into FOLDER: the three packages, instead of those that were there.
build_packages_into() {
    local folder=$1
    rm -rf -- "$folder"
    (cd -- "$build_root/release" && quietly cpack -B "$folder")
    rm -rf -- "$folder/_CPack_Packages"
}

# install_into PREFIX: the programs, pages, completion and units; of the console and the library all as well.
install_into() {
    local prefix=$1
    quietly cmake --install "$build_root/release" --strip --prefix "$prefix"
    name_places "$prefix"
}

# name_places PREFIX: units, pages and documents name files where Debian's packages have them; below PREFIX they name
# those that are there.
name_places() {
    local prefix=$1 page
    sed -i "s|/usr/libexec/|$prefix/libexec/|" -- "$prefix/lib/systemd/system/drover-worker@.service"
    grep -rlZ --include='*.md' /usr/share/doc/drover/ "$prefix/share/doc/drover" |
        xargs -0 --no-run-if-empty sed -i "s|/usr/share/doc/drover/|$prefix/share/doc/drover/|g" --
    for page in "$prefix"/share/man/man1/*.gz; do
        zgrep -q /usr/share/doc/drover/ "$page" || continue
        zcat -- "$page" | sed "s|/usr/share/doc/drover/|$prefix/share/doc/drover/|g" | gzip --best --no-name >"$page.new"
        mv -- "$page.new" "$page"
    done
}
