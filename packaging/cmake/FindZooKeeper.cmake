# The single-threaded ZooKeeper C client (Debian: libzookeeper-st-dev), as ZooKeeper::Client.
# It is driven by our own event loop, so THREADED must stay undefined.
find_path(ZooKeeper_INCLUDE_DIR zookeeper/zookeeper.h)
find_library(ZooKeeper_LIBRARY zookeeper_st)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(ZooKeeper
  REQUIRED_VARS ZooKeeper_LIBRARY ZooKeeper_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libzookeeper-st-dev")

if(ZooKeeper_FOUND AND NOT TARGET ZooKeeper::Client)
  add_library(ZooKeeper::Client UNKNOWN IMPORTED)
  set_target_properties(ZooKeeper::Client PROPERTIES IMPORTED_LOCATION ${ZooKeeper_LIBRARY})
  if(NOT ZooKeeper_INCLUDE_DIR STREQUAL "/usr/include") # naming it would reorder the compiler's own search
    set_target_properties(ZooKeeper::Client PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${ZooKeeper_INCLUDE_DIR})
  endif()
endif()
mark_as_advanced(ZooKeeper_INCLUDE_DIR ZooKeeper_LIBRARY)
