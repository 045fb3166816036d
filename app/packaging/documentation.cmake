# Manual pages and completion of the command line, made by the programs that they describe.
find_program(LAMBDA_HELP2MAN help2man)
set(pages ${CMAKE_CURRENT_BINARY_DIR}/man1)
set(completion ${CMAKE_CURRENT_BINARY_DIR}/completion)
set(studio -)
if(TARGET lambda-studio)
  set(studio $<TARGET_FILE:lambda-studio>)
endif()
file(MAKE_DIRECTORY ${completion})
add_custom_command(OUTPUT ${completion}/lambda ${completion}/_lambda DEPENDS lambda lambda_benchmarks_module
  COMMAND lambda completion bash > ${completion}/lambda
  COMMAND lambda completion zsh > ${completion}/_lambda VERBATIM)
set(made ${completion}/lambda ${completion}/_lambda)
install(FILES ${completion}/lambda DESTINATION share/bash-completion/completions)
install(FILES ${completion}/_lambda DESTINATION share/zsh/vendor-completions)
if(LAMBDA_HELP2MAN)
  set(script ${CMAKE_CURRENT_SOURCE_DIR}/man_pages)
  add_custom_command(OUTPUT ${pages}.made
    DEPENDS lambda lambda_benchmarks_module ${script} $<$<TARGET_EXISTS:lambda-studio>:lambda-studio>
    COMMAND ${script} $<TARGET_FILE:lambda> ${studio} ${PROJECT_VERSION} ${pages}
    COMMAND ${CMAKE_COMMAND} -E touch ${pages}.made VERBATIM)
  list(APPEND made ${pages}.made)
  install(DIRECTORY ${pages}/ DESTINATION share/man/man1)
else()
  message(STATUS "help2man is missing: packages are made without manual pages")
endif()
add_custom_target(lambda_documentation ALL DEPENDS ${made})
add_dependencies(lambda_package_content lambda_documentation)
