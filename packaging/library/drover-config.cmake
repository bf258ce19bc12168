# find_package(drover CONFIG): the targets drover::zk, drover::recipes, drover::jobs and the others of Drover's core.
include(CMakeFindDependencyMacro)
find_dependency(Qt6 6.4 COMPONENTS Core Network Sql)
list(PREPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
find_dependency(ZooKeeper)
find_dependency(Sodium)
list(REMOVE_ITEM CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})
include(${CMAKE_CURRENT_LIST_DIR}/drover-targets.cmake)
