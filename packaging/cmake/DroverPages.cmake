# What the programs write about themselves, when they are built: the man pages and the scripts for completion.

set(pages ${CMAKE_BINARY_DIR}/pages)
set(man ${pages}/share/man/man1)
set(bash ${pages}/share/bash-completion/completions)
set(fish ${pages}/share/fish/vendor_completions.d)
set(zsh ${pages}/share/zsh/vendor-completions)
file(MAKE_DIRECTORY ${pages}/share)

add_custom_command(OUTPUT ${pages}/written
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${man} ${bash} ${fish} ${zsh}
  COMMAND drover manual ${man}
  COMMAND drover-bench manual ${man}
  COMMAND drover-console --manual > ${man}/drover-console.1
  COMMAND gzip --best --no-name --recursive ${man}
  COMMAND drover completion bash > ${bash}/drover
  COMMAND drover completion fish > ${fish}/drover.fish
  COMMAND drover completion zsh > ${zsh}/_drover
  COMMAND ${CMAKE_COMMAND} -E touch ${pages}/written
  DEPENDS drover drover-bench drover-console
  COMMENT "Man pages and completion"
  VERBATIM)
add_custom_target(pages DEPENDS ${pages}/written)
add_dependencies(programs pages)

install(DIRECTORY ${pages}/share/ DESTINATION share COMPONENT drover PATTERN "drover-console.1*" EXCLUDE)
install(DIRECTORY ${man} DESTINATION share/man COMPONENT drover-console
  FILES_MATCHING PATTERN "drover-console.1*")
