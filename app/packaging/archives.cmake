# What app/package makes: an archive, and a package of the Debian or Ubuntu that it runs on.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME lambda-studio)
set(CPACK_PACKAGE_FILE_NAME lambda-studio-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};LambdaStudio;programs;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_CONTACT "The Lambda Studio developers <lambda-studio@users.invalid>" CACHE STRING
  "Name and address of the person who maintains the packages")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"Lambda networks classify images with layers that model long-range interaction
without attention. The desktop program lambda-studio builds them from blocks,
trains them and shows what their layers have learnt; the program lambda does
the same on the command line.

The package contains LibTorch ${LAMBDA_TORCH_VERSION}.")
# xz takes five times as long to save a fifth, and gzip gives a larger file in more time.
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
file(GLOB_RECURSE private_libraries ${LAMBDA_TORCH_DIR}/lib/*.so* ${LAMBDA_TORCH_DIR}/../nvidia/*.so*)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
foreach(library ${private_libraries})
  cmake_path(GET library PARENT_PATH folder)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()
list(REMOVE_DUPLICATES CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS)

# No header of a library names these: the plugins that Qt loads, whose package differs between releases, and the font.
if(TARGET lambda-studio)
  set(plugins ${QT6_INSTALL_PREFIX}/${QT6_INSTALL_PLUGINS})
  set(needed fonts-roboto-unhinted)
  foreach(plugin platforms/libqxcb.so iconengines/libqsvgicon.so)
    execute_process(COMMAND dpkg-query --search ${plugins}/${plugin} OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:]+)")
      list(APPEND needed ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES needed)
  list(JOIN needed ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
endif()
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ca-certificates, hicolor-icon-theme, qt6-wayland, shared-mime-info")
include(CPack)
