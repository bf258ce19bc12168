# The documents for readers, beside the packages' changelog: docs/*.md in a folder docs, above it README.md and
# SECURITY.md. There the links between them are shorter than in the sources, and the picture of the folders is named only.

set(texts ${CMAKE_CURRENT_BINARY_DIR}/texts)
file(GLOB_RECURSE documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/docs/*.md)
foreach(document IN LISTS documents ITEMS README.md packaging/SECURITY.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${document})
  file(READ ${PROJECT_SOURCE_DIR}/${document} text)
  string(REGEX REPLACE "\\]\\(packaging/(docs/|SECURITY)" "](\\1" text "${text}")
  string(REGEX REPLACE "\\]\\(\\.\\./((\\.\\./)+README\\.md)" "](\\1" text "${text}")
  string(REGEX REPLACE "!\\[[^\n]*\\]\\((packaging/map/[^\n]*)\\)" "`\\1` of the sources." text "${text}")
  string(REGEX REPLACE "^packaging/" "" place ${document})
  file(WRITE ${texts}/${place} "${text}")
endforeach()
install(DIRECTORY ${texts}/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT drover)
install(FILES docs/console.png DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT drover)
