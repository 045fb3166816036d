# `cmake --install` and the target `package`: an archive that runs wherever it is unpacked. Programs, engine and plugins
# lie in bin/. LibTorch lies in lib/lambda-studio/ with the layout of its wheels, whose libraries find each other by
# relative paths. Libraries from system packages (Qt, libarchive, OpenSSL, ...) are not included.
set(packaged_torch lib/lambda-studio/torch/lib)

function(lambda_install target kind)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../${packaged_torch}")
  install(TARGETS ${target} ${kind} DESTINATION bin)
endfunction()

lambda_install(lambda RUNTIME)
if(TARGET lambda-studio)
  lambda_install(lambda-studio RUNTIME)
  lambda_install(lambda_engine_module LIBRARY)
endif()
foreach(plugin lambda_kernels_cuda lambda_graphs_cuda)
  if(TARGET ${plugin})
    lambda_install(${plugin} LIBRARY)
  endif()
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/presets DESTINATION share/lambda-studio)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/resources/docs DESTINATION share/doc/lambda-studio)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md DESTINATION share/doc/lambda-studio)

# An installed Python torch contains more than the engine loads.
install(DIRECTORY ${LAMBDA_TORCH_DIR}/lib/ DESTINATION ${packaged_torch}
  FILES_MATCHING PATTERN "*.so" PATTERN "*.so.*" PATTERN "libtorch_python*" EXCLUDE PATTERN "libshm*" EXCLUDE)
if(EXISTS ${LAMBDA_TORCH_DIR}/../nvidia)
  install(DIRECTORY ${LAMBDA_TORCH_DIR}/../nvidia DESTINATION lib/lambda-studio
    FILES_MATCHING PATTERN "*.so" PATTERN "*.so.*")
endif()

set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME lambda-studio)
set(CPACK_PACKAGE_FILE_NAME lambda-studio-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
