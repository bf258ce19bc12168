# The libraries of core for other programs: headers, static libraries, find_package(drover CONFIG), pkg-config.
# Everything goes to lib, on Debian too: the package is for one architecture at a time.

# What each program needs that includes our headers (see drover_options).
add_library(drover_language INTERFACE)
add_library(drover::language ALIAS drover_language)
target_compile_features(drover_language INTERFACE cxx_std_20)
target_compile_definitions(drover_language INTERFACE QT_NO_KEYWORDS) # our names are words such as `slots`
target_compile_options(drover_language INTERFACE $<$<CXX_COMPILER_ID:GNU>:-foptimize-sibling-calls>)

set(libraries language posix text trust async net zk recipes jobs history output files)
foreach(library IN LISTS libraries)
  set_target_properties(drover_${library} PROPERTIES EXPORT_NAME ${library})
  list(APPEND library_targets drover_${library})
  get_target_property(type drover_${library} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    add_dependencies(programs drover_${library}) # also one that no program links
  endif()
endforeach()
set(cmake_files lib/cmake/drover)
install(TARGETS ${library_targets} EXPORT drover ARCHIVE DESTINATION lib COMPONENT libdrover-dev)
install(EXPORT drover NAMESPACE drover:: FILE drover-targets.cmake DESTINATION ${cmake_files} COMPONENT libdrover-dev)

include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/drover-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(${CMAKE_CURRENT_SOURCE_DIR}/library/drover.pc.in drover.pc @ONLY)
install(FILES library/drover-config.cmake cmake/FindZooKeeper.cmake cmake/FindSodium.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/drover-config-version.cmake DESTINATION ${cmake_files} COMPONENT libdrover-dev)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/drover.pc DESTINATION lib/pkgconfig COMPONENT libdrover-dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/core/ DESTINATION include/drover COMPONENT libdrover-dev
  FILES_MATCHING PATTERN "*.h")
install(DIRECTORY examples/ DESTINATION share/doc/libdrover-dev/examples COMPONENT libdrover-dev
  FILES_MATCHING PATTERN "*.cpp" PATTERN "CMakeLists.txt")

# CMake strips programs alone.
install(CODE [[
  if(CMAKE_INSTALL_DO_STRIP)
    file(GLOB archives $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib/libdrover_*.a)
    execute_process(COMMAND strip --strip-debug --enable-deterministic-archives
      --remove-section=.comment --remove-section=.note ${archives} COMMAND_ERROR_IS_FATAL ANY)
  endif()]] COMPONENT libdrover-dev)
