# How every folder of Drover is built: one place for compiler options and for the three kinds of target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_AUTOMOC ON)
# The moc of Qt 6.4 fails on libstdc++ 12's C++20 headers and needs none of them: do not show it the compiler's folders.
# /usr/include stays, or CMake would pass it on from OpenGL (which Qt6::Gui links) and hide the compiler's stdlib.h.
list(FILTER CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES INCLUDE REGEX "^/usr/include$")
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(DROVER_WERROR "Treat warnings as errors" ON)
option(DROVER_PCH "Precompile the Qt headers" ON)
option(DROVER_UNITY "Compile the sources of a library folder by folder, as one" OFF)
option(DROVER_FUZZ "Make each target of tests/fuzz a libFuzzer program (Clang)" OFF)
set(DROVER_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize= takes them")

find_program(CCACHE ccache)
if(CCACHE)
  # Precompiled headers need these two relaxations, or nothing is ever a hit.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

find_program(MOLD mold) # links the tests in a third of the time

add_library(drover_options INTERFACE)
target_compile_features(drover_options INTERFACE cxx_std_20)
target_compile_options(drover_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -fno-omit-frame-pointer
  $<$<BOOL:${DROVER_WERROR}>:-Werror>
  # Symmetric transfer between coroutines relies on tail calls, at -O0 as well.
  $<$<CXX_COMPILER_ID:GNU>:-foptimize-sibling-calls>
  # Without a time stamp in Clang's precompiled headers, ccache can know them again.
  "$<$<CXX_COMPILER_ID:Clang>:-fpch-instantiate-templates;-Xclang;-fno-pch-timestamp>")
target_compile_definitions(drover_options INTERFACE
  QT_NO_CAST_FROM_ASCII QT_NO_URL_CAST_FROM_STRING QT_NO_KEYWORDS QT_NO_FOREACH
  DROVER_VERSION="${PROJECT_VERSION}")
if(DROVER_SANITIZE)
  target_compile_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE} -fno-sanitize-recover=all
    # What GCC's sanitizers add to a function's end undoes the tail calls above; these three are all it takes to keep
    # them (tests/toolchain/coroutine_canary_test.cpp). A null dereference still stops the program, as a SEGV report.
    "$<$<CXX_COMPILER_ID:GNU>:-fno-sanitize-address-use-after-scope;-fno-sanitize=null,alignment;--param=tsan-instrument-func-entry-exit=0>")
  # What Clang 14 puts before a function for this check, it cannot put before the parts of a coroutine.
  target_compile_options(drover_options INTERFACE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  # GCC 12 imagines writes out of bounds where its sanitizers have split up the code; the plain builds keep these warnings.
  target_compile_options(drover_options INTERFACE
    "$<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized;-Wno-restrict>")
  target_link_options(drover_options INTERFACE -fsanitize=${DROVER_SANITIZE})
endif()
if(DROVER_FUZZ)
  target_compile_options(drover_options INTERFACE -fsanitize=fuzzer-no-link) # counts which branches an input takes
endif()

# Functions and loops that start at any address: 3 to 4 % smaller, and what our programs do is waiting, not loops.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND NOT DROVER_SANITIZE)
  target_compile_options(drover_options INTERFACE
    -falign-functions=1 -falign-jumps=1 -falign-loops=1 -falign-labels=1)
endif()

# What is shipped is hardened: overflows of the stack and of buffers end the program, as does an index or an iterator
# that libstdc++ can see is wrong; variables that are not set are zero; and no table of addresses can be written.
# tests/toolchain/hardening_test.sh asks the programs.
include(CheckCXXCompilerFlag)
set(DROVER_HARDENED OFF)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT DROVER_SANITIZE)
  set(DROVER_HARDENED ON)
  target_compile_options(drover_options INTERFACE
    -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fstack-clash-protection)
  check_cxx_compiler_flag(-ftrivial-auto-var-init=zero DROVER_HAS_AUTO_VAR_INIT) # GCC 12; Clang from 16 on
  if(DROVER_HAS_AUTO_VAR_INIT)
    target_compile_options(drover_options INTERFACE -ftrivial-auto-var-init=zero)
  endif()
  target_link_options(drover_options INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>) # all is compiled with -fPIC, as Qt asks for
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    target_compile_options(drover_options INTERFACE -fcf-protection=full)
  endif()
endif()

function(drover_precompile target)
  if(DROVER_PCH)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

set(DROVER_CORE_HEADERS <chrono> <coroutine> <functional> <map> <memory> <optional> <string> <variant> <vector>
  <QByteArray> <QDateTime> <QJsonArray> <QJsonDocument> <QJsonObject> <QLoggingCategory> <QObject> <QString>)

# drover_headers(library_headers <vector> ...)
# What many targets precompile together (packaging/README.md). It knows Qt6::Core alone: a macro that another module
# defines, and that not all of the targets have, would make it unusable for these.
function(drover_headers name)
  add_library(drover_${name} OBJECT ${PROJECT_SOURCE_DIR}/packaging/cmake/precompiled.cpp)
  target_link_libraries(drover_${name} PRIVATE drover_options Qt6::Core)
  drover_precompile(drover_${name} ${ARGN})
endfunction()

function(drover_reuse_headers target name)
  if(DROVER_PCH)
    target_precompile_headers(${target} REUSE_FROM drover_${name})
  endif()
endfunction()

# "folder/..." in #include lines is the current folder, for this library and for what links it.
function(drover_include_folder name folder scope)
  set(include ${CMAKE_BINARY_DIR}/include/${folder})
  file(MAKE_DIRECTORY ${include})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include}/${folder} SYMBOLIC)
  target_include_directories(drover_${name} ${scope} $<BUILD_INTERFACE:${include}> $<INSTALL_INTERFACE:include/drover>)
endfunction()

# Compiles the sources of each folder as one, where DROVER_UNITY asks for it: a third of the time, for builds that are
# made once and whole. The presets dev, tsan and lint compile file by file: they show that each file includes what it uses.
function(drover_unite target)
  if(NOT DROVER_UNITY)
    return()
  endif()
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    if(folder MATCHES "^commands")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # each has an execute() of its own
    else()
      string(MAKE_C_IDENTIFIER "unit_${folder}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # An unnamed namespace of a source is one of an included file now.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()

# drover_library(zk SOURCES a.cpp ... LINK async Qt6::Core ...)
# Makes the static library drover_zk of the current folder. Its headers are included as "zk/name.h", and only by
# targets that link it: the include path holds this folder alone, so a forbidden #include does not compile.
# A second library of one folder is named otherwise, and names the folder: drover_library(bench FOLDER app ...).
# WAITS: it waits for people and servers more than it computes, so where it is not shipped it is compiled fast rather
# than well: under the sanitizers in less than half the time. Its precompiled header is its own.
function(drover_library name)
  cmake_parse_arguments(ARG "WAITS" "FOLDER" "SOURCES;LINK;PRECOMPILE" ${ARGN})
  if(NOT ARG_FOLDER)
    set(ARG_FOLDER ${name})
  endif()
  add_library(drover_${name} STATIC ${ARG_SOURCES})
  add_library(drover::${name} ALIAS drover_${name})
  drover_unite(drover_${name} ${ARG_SOURCES})
  drover_include_folder(${name} ${ARG_FOLDER} PUBLIC)
  # How we are compiled is our affair, and drover::language what a program needs that includes our headers.
  target_link_libraries(drover_${name} PUBLIC $<BUILD_INTERFACE:drover_options> ${ARG_LINK} $<INSTALL_INTERFACE:drover::language>)
  if(ARG_WAITS)
    target_compile_options(drover_${name} PRIVATE "$<$<CONFIG:Debug>:-O0>")
  endif()
  if(ARG_PRECOMPILE)
    drover_precompile(drover_${name} ${DROVER_CORE_HEADERS} ${ARG_PRECOMPILE})
  else()
    drover_reuse_headers(drover_${name} library_headers)
  endif()
endfunction()

# drover_headers_library(posix)
# The same of headers alone, which depend on nothing.
function(drover_headers_library name)
  add_library(drover_${name} INTERFACE)
  add_library(drover::${name} ALIAS drover_${name})
  drover_include_folder(${name} ${name} INTERFACE)
endfunction()

add_custom_target(programs) # what users run, without the tests

# drover_program(drover SOURCES main.cpp LINK drover::app)
function(drover_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE drover_options ${ARG_LINK})
  target_link_options(${name} PRIVATE
    -Wl,--gc-sections # drops what only tests and other programs call
    -Wl,-z,pack-relative-relocs) # a hundredth of the size; the loader has to be that of glibc 2.36 or newer
  add_dependencies(programs ${name})
endfunction()

# The sources of tests and of what few of them share: compiled fast rather than well, with one precompiled header for
# all of them (packaging/README.md).
set(DROVER_TEST_OPTIONS "$<$<CONFIG:RelWithDebInfo>:-O1>" "$<$<CONFIG:Debug>:-O0>")
function(drover_test_code target)
  target_compile_options(${target} PRIVATE ${DROVER_TEST_OPTIONS})
  drover_reuse_headers(${target} test_headers)
endfunction()

# drover_test(core/zk/path_test LINK drover::zk [LABELS real] [TIMEOUT 60])
# One file, one program, one ctest name. The file includes what moc makes of it; AUTOMOC would make of that one more target
# and one more file to compile in each test. DROVER_TEST_ENVIRONMENT, if set, is a variable (NAME=VALUE) of the test's
# environment.
function(drover_test path)
  cmake_parse_arguments(ARG "" "TIMEOUT" "LINK;LABELS;SOURCES" ${ARGN})
  string(REPLACE "/" "." name ${path})
  set(source ${PROJECT_SOURCE_DIR}/tests/${path}.cpp)
  cmake_path(GET source STEM stem)
  set(moc ${CMAKE_CURRENT_BINARY_DIR}/${stem}.moc)
  qt_generate_moc(${source} ${moc})
  add_executable(${name} ${source} ${moc} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES AUTOMOC OFF)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE drover_options Qt6::Test ${ARG_LINK})
  if(MOLD)
    target_link_options(${name} PRIVATE -fuse-ld=mold)
  endif()
  drover_test_code(${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  # A Java machine and many processes: beside other tests they take several times as long as alone.
  if("real" IN_LIST ARG_LABELS AND ARG_TIMEOUT LESS 600)
    set(ARG_TIMEOUT 600)
  endif()
  if(DROVER_SANITIZE)
    math(EXPR ARG_TIMEOUT "3 * ${ARG_TIMEOUT}")
  endif()
  if(name MATCHES "${DROVER_TESTED_TWICE}") # tests/CMakeLists.txt
    set(builds plain sanitized)
  elseif("real" IN_LIST ARG_LABELS)
    set(builds plain)
  else()
    set(builds sanitized)
  endif()
  foreach(build IN LISTS builds)
    add_dependencies(${build}_tests ${name})
  endforeach()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT} LABELS "${ARG_LABELS};${builds}"
    ENVIRONMENT "${DROVER_TEST_ENVIRONMENT};LC_ALL=C.UTF-8;QT_QPA_PLATFORM=offscreen;DROVER_BIN_DIR=${CMAKE_BINARY_DIR}/bin;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000")
endfunction()
