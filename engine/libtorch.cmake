# Defines Torch::c10 and Torch::cpu from the unpacked PyPI wheel. find_package(Torch) of a CUDA wheel requires a whole
# CUDA toolkit, and its umbrella library links libtorch_cuda. A program that links these two runs with both sets of
# wheels.
set(version 2.11.0)
set(cache "$ENV{LAMBDA_CACHE_DIR}")
if(NOT cache AND DEFINED ENV{XDG_CACHE_HOME})
  set(cache "$ENV{XDG_CACHE_HOME}/lambda-studio")
elseif(NOT cache)
  set(cache "$ENV{HOME}/.cache/lambda-studio")
endif()
set(default "$ENV{LAMBDA_TORCH_DIR}")
foreach(kind cuda cpu)
  if(NOT default AND EXISTS ${cache}/libtorch-${version}-${kind}/torch)
    set(default ${cache}/libtorch-${version}-${kind}/torch)
  endif()
endforeach()
set(LAMBDA_TORCH_DIR "${default}" CACHE PATH "LibTorch: a folder with include/ and lib/, e.g. .../site-packages/torch")

if(NOT EXISTS "${LAMBDA_TORCH_DIR}/lib/libtorch_cpu.so")
  message(FATAL_ERROR
    "No LibTorch in LAMBDA_TORCH_DIR=\"${LAMBDA_TORCH_DIR}\" (looked for lib/libtorch_cpu.so there).\n"
    "Run app/setup, which fetches it, or pass -DLAMBDA_TORCH_DIR=<folder of an installed Python torch ${version}>.")
endif()
file(STRINGS ${LAMBDA_TORCH_DIR}/include/torch/headeronly/version.h version_parts
  REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX MATCHALL " [0-9]+" version_parts "${version_parts}")
string(REPLACE "; " "." LAMBDA_TORCH_VERSION "${version_parts}")
string(STRIP "${LAMBDA_TORCH_VERSION}" LAMBDA_TORCH_VERSION)
if(NOT LAMBDA_TORCH_VERSION MATCHES "^2\\.11\\.")
  message(FATAL_ERROR
    "LibTorch in ${LAMBDA_TORCH_DIR} is ${LAMBDA_TORCH_VERSION}, but ${version} is needed. Run app/setup, which fetches it.")
endif()
file(STRINGS ${LAMBDA_TORCH_DIR}/lib/libc10.so new_abi_names REGEX "B5cxx11" LIMIT_COUNT 1)
if(NOT new_abi_names)
  message(FATAL_ERROR
    "LibTorch in ${LAMBDA_TORCH_DIR} is built with the old C++ string ABI and cannot be linked. "
    "Run app/setup, which fetches one that can.")
endif()

add_library(Torch::c10 SHARED IMPORTED)
set_target_properties(Torch::c10 PROPERTIES
  IMPORTED_LOCATION ${LAMBDA_TORCH_DIR}/lib/libc10.so
  INTERFACE_INCLUDE_DIRECTORIES
    "${LAMBDA_TORCH_DIR}/include;${LAMBDA_TORCH_DIR}/include/torch/csrc/api/include")

# at::parallel_for is a header template that runs serially unless it is compiled with OpenMP. The runtime must be
# LibTorch's own: naming its file instead of passing -fopenmp to the linker keeps a second one out of the process.
add_library(Torch::openmp SHARED IMPORTED)
set_target_properties(Torch::openmp PROPERTIES
  IMPORTED_LOCATION ${LAMBDA_TORCH_DIR}/lib/libgomp.so.1
  INTERFACE_COMPILE_OPTIONS -fopenmp)

# Ubuntu's linker drops libraries that no symbol is used from directly, and what LibTorch registers in its start-up code
# would be lost with them.
add_library(Torch::cpu SHARED IMPORTED)
set_target_properties(Torch::cpu PROPERTIES
  IMPORTED_LOCATION ${LAMBDA_TORCH_DIR}/lib/libtorch_cpu.so
  INTERFACE_LINK_LIBRARIES "Torch::c10;Torch::openmp"
  INTERFACE_LINK_OPTIONS LINKER:--no-as-needed)
