# Enables the language CUDA if a working nvcc is found; LAMBDA_CUDA_STATE describes the result.
set(LAMBDA_CUDA AUTO CACHE STRING "Build the CUDA kernels: AUTO = if a working nvcc is found, ON, OFF")
set_property(CACHE LAMBDA_CUDA PROPERTY STRINGS AUTO ON OFF)
set(LAMBDA_BUILDS_CUDA OFF)
set(oldest_cuda 12)
if(LAMBDA_CUDA STREQUAL "OFF")
  set(LAMBDA_CUDA_STATE "off")
  return()
endif()
if(LAMBDA_SANITIZE)
  set(LAMBDA_CUDA_STATE "none: sanitizers do not check code on GPUs")
  return()
endif()

# libtorch.cmake searches the same cache.
find_program(LAMBDA_NVCC nvcc
  PATHS /usr/local/cuda/bin ${cache}/nvcc-13.0.88/nvidia/cu13/bin
  DOC "The CUDA compiler, ${oldest_cuda} or later; empty = none")

# Sets `result` to the reason why `nvcc` can't be used (missing, too old, can't build a program); empty if it can.
function(find_nvcc_obstacle nvcc result)
  if(NOT nvcc)
    set(${result} "there is no nvcc" PARENT_SCOPE)
    return()
  endif()
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE words ERROR_VARIABLE words RESULT_VARIABLE failure)
  if(failure OR NOT words MATCHES "release ([0-9]+)\\.")
    set(${result} "${nvcc} doesn't run" PARENT_SCOPE)
    return()
  elseif(CMAKE_MATCH_1 LESS oldest_cuda)
    set(${result} "${nvcc} is CUDA ${CMAKE_MATCH_1}, but ${oldest_cuda} or later is needed" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CMAKE_BINARY_DIR}/CMakeFiles/nvcc)
  file(WRITE ${folder}/program.cu "__global__ void kernel() {}\nint main() { kernel<<<1, 1>>>(); }\n")
  execute_process(
    COMMAND ${nvcc} -ccbin ${CMAKE_CXX_COMPILER} -cudart static -arch sm_80 -o ${folder}/program ${folder}/program.cu
    OUTPUT_FILE ${folder}/output.log ERROR_FILE ${folder}/output.log RESULT_VARIABLE failure)
  if(failure)
    set(${result} "${nvcc} can't build a program, see ${folder}/output.log" PARENT_SCOPE)
  endif()
endfunction()

set(obstacle "")
if(NOT LAMBDA_NVCC OR NOT LAMBDA_NVCC STREQUAL "${LAMBDA_WORKING_NVCC}")
  find_nvcc_obstacle("${LAMBDA_NVCC}" obstacle)
endif()
if(obstacle AND LAMBDA_CUDA STREQUAL "AUTO")
  set(LAMBDA_CUDA_STATE "none: ${obstacle}")
  return()
elseif(obstacle)
  message(FATAL_ERROR
    "LAMBDA_CUDA is ON, but ${obstacle}. Install the CUDA toolkit ${oldest_cuda} or later and pass "
    "-DLAMBDA_NVCC=<its nvcc>, or run app/setup --tests, which fetches one; -DLAMBDA_CUDA=AUTO builds without.")
endif()

set(LAMBDA_WORKING_NVCC ${LAMBDA_NVCC} CACHE INTERNAL "The nvcc that passed the check, which is not repeated for it")
set(CMAKE_CUDA_ARCHITECTURES 80-real 90-real 90-virtual)
set(CMAKE_CUDA_COMPILER ${LAMBDA_NVCC})
set(CMAKE_CUDA_HOST_COMPILER ${CMAKE_CXX_COMPILER})
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()
enable_language(CUDA)
set(LAMBDA_BUILDS_CUDA ON)
set(LAMBDA_CUDA_STATE "nvcc ${CMAKE_CUDA_COMPILER_VERSION}, for compute capability 8.0, 9.0 and later")
