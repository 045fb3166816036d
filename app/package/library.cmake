# The engine as a CMake package: find_package(LambdaStudio) gives the target LambdaStudio::classifier.
include(CMakePackageConfigHelpers)
set(config_folder lib/cmake/LambdaStudio)
lambda_finds_libraries(lambda_studio_library "$ORIGIN/lambda-studio" "$ORIGIN/lambda-studio/torch/lib")
install(TARGETS lambda_studio_library EXPORT LambdaStudioTargets LIBRARY DESTINATION lib)
install(FILES ${PROJECT_SOURCE_DIR}/engine/library/classifier.h DESTINATION include/lambda-studio)
install(EXPORT LambdaStudioTargets NAMESPACE LambdaStudio:: FILE LambdaStudioConfig.cmake DESTINATION ${config_folder})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/LambdaStudioConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/LambdaStudioConfigVersion.cmake DESTINATION ${config_folder})
