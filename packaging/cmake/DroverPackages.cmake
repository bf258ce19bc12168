# The Debian packages, by CPack from the build tree as it is: programs are built before (`packaging/run package`).
# CPack asks dpkg-shlibdeps for the libraries of each package.

set(PACKAGE_RELEASE 1)
set(deb ${CMAKE_CURRENT_SOURCE_DIR}/deb)
set(packages drover drover-console libdrover-dev)

# The documents that every package has to have.
set(documents ${CMAKE_CURRENT_BINARY_DIR}/documents)
add_custom_command(OUTPUT ${documents}/written
  COMMAND ${CMAKE_COMMAND} -E make_directory ${documents}
  COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${documents}/changelog
  COMMAND ${CMAKE_COMMAND} -E copy ${deb}/changelog ${documents}/changelog.Debian
  COMMAND gzip --best --no-name --force ${documents}/changelog ${documents}/changelog.Debian
  COMMAND ${CMAKE_COMMAND} -E touch ${documents}/written
  DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${deb}/changelog
  VERBATIM)
add_custom_target(package_documents DEPENDS ${documents}/written)
add_dependencies(programs package_documents)
foreach(package IN LISTS packages)
  install(FILES ${documents}/changelog.gz ${documents}/changelog.Debian.gz ${deb}/copyright
    DESTINATION share/doc/${package} COMPONENT ${package})
  if(EXISTS ${deb}/${package}.overrides)
    install(FILES ${deb}/${package}.overrides DESTINATION share/lintian/overrides RENAME ${package} COMPONENT ${package})
  endif()
endforeach()

# For systemd. Units name the programs by the place where Debian has them; `packaging/run install` corrects that.
install(FILES systemd/drover-worker@.service systemd/drover.target DESTINATION lib/systemd/system COMPONENT drover)
install(PROGRAMS systemd/worker-service DESTINATION libexec/drover COMPONENT drover)
install(FILES systemd/sysusers.conf DESTINATION lib/sysusers.d RENAME drover.conf COMPONENT drover)
install(FILES systemd/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME drover.conf COMPONENT drover)
install(FILES desktop/drover-console.desktop DESTINATION share/applications COMPONENT drover-console)
install(FILES desktop/drover-console.svg DESTINATION share/icons/hicolor/scalable/apps COMPONENT drover-console)
install(FILES desktop/drover-console.metainfo.xml DESTINATION share/metainfo COMPONENT drover-console)
install(FILES desktop/drover-console.xml DESTINATION share/mime/packages COMPONENT drover-console)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME drover)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR Drover)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each package has its own
set(CPACK_PACKAGE_CONTACT "Drover maintainers <maintainers@drover.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL ${packages})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_THREADS 0)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE ${PACKAGE_RELEASE})
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

# describe_package(NAME SECTION DESCRIPTION [FIELD VALUE]...)
function(describe_package name section description)
  string(TOUPPER ${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${component}_DESCRIPTION ${description} PARENT_SCOPE)
  while(ARGN)
    list(POP_FRONT ARGN field value)
    set(CPACK_DEBIAN_${component}_PACKAGE_${field} ${value} PARENT_SCOPE)
  endwhile()
endfunction()

describe_package(drover admin "distributed job scheduler on ZooKeeper
Workers on any number of machines run the jobs that clients submit. All
workers are equal, and ZooKeeper stores all shared state. Locks, elections,
queues and other recipes are commands for scripts.
.
This package holds the command line, the worker and its systemd units."
  DEPENDS "libqt6sql6-sqlite, tzdata"
  RECOMMENDS "zookeeper, default-jre-headless"
  SUGGESTS "drover-console, libqt6sql6-psql")
set(CPACK_DEBIAN_DROVER_PACKAGE_CONTROL_EXTRA ${deb}/postinst ${deb}/prerm ${deb}/postrm)
describe_package(drover-console admin "desktop for the job scheduler Drover
Shows the jobs, workers, queues, locks and znodes of a cluster while they
change. Jobs can be submitted, followed and cancelled."
  DEPENDS "libqt6sql6-sqlite"
  RECOMMENDS "drover, fonts-dejavu-core, libsecret-1-0"
  SUGGESTS "fonts-wqy-microhei, gnome-keyring, qt6-translations-l10n")
describe_package(libdrover-dev libdevel "development files of the job scheduler Drover
Static libraries and headers in C++20: sessions with ZooKeeper for coroutines
on the Qt event loop, the recipes of Curator in its znode layouts, and the
jobs of Drover. With find_package(drover CONFIG), pkg-config and examples."
  DEPENDS "qt6-base-dev, libzookeeper-st-dev, libsodium-dev"
  SUGGESTS "drover, cmake, pkgconf")
set(CPACK_DEBIAN_LIBDROVER-DEV_PACKAGE_SHLIBDEPS OFF)
include(CPack)
