# curator-peer and kazoo-peer of tests/interop, in bin/ beside our own programs: what they need, and how they are made.
# Sets DROVER_PEERS to their targets; to nothing when something is missing.

set(DROVER_PEERS "")
set(missing "")

find_package(Java QUIET COMPONENTS Runtime Development)
if(Java_FOUND)
  include(UseJava)
  set(jars "")
  foreach(name curator-recipes curator-framework curator-client zookeeper zookeeper-jute
      zookeeper-recipes-lock zookeeper-recipes-queue slf4j-api slf4j-nop guava)
    find_jar(DROVER_JAR_${name} ${name})
    list(APPEND jars ${DROVER_JAR_${name}})
  endforeach()
  if(jars MATCHES NOTFOUND)
    list(APPEND missing libcurator-recipes-java)
  endif()
else()
  list(APPEND missing "a JDK")
endif()

# Debian's own, which has Debian's packages.
find_program(DROVER_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(DROVER_PYTHON python3)
if(DROVER_PYTHON)
  execute_process(COMMAND ${DROVER_PYTHON} -c "import kazoo" RESULT_VARIABLE without_kazoo OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT DROVER_PYTHON OR without_kazoo)
  list(APPEND missing python3-kazoo)
endif()

if(missing)
  list(JOIN missing ", " missing)
  message(STATUS "No tests with Curator and kazoo: ${missing} missing (packaging/run test installs all that is needed)")
  # Looks again once a package has been installed.
  if(EXISTS /var/lib/dpkg/status)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS /var/lib/dpkg/status)
  endif()
  return()
endif()

set(CMAKE_JAVA_COMPILE_FLAGS -Xlint:all,-path -Werror)
file(GLOB java_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/curator/*.java)
add_jar(curator_peer SOURCES ${java_sources} INCLUDE_JARS ${jars})
get_target_property(classpath curator_peer JAR_FILE)
list(APPEND classpath ${jars})
list(JOIN classpath ":" classpath)
configure_file(curator-peer.in ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/curator-peer @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
configure_file(kazoo-peer.in ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/kazoo-peer @ONLY
  FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(DROVER_PEERS curator_peer)
