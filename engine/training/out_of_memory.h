#pragma once

#include <exception>
#include <new>
#include <string_view>

#include <c10/util/Exception.h>

namespace lambda {

/// Whether a failure of a tensor operation means that memory was not enough.
inline bool isOutOfMemory(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr ||
         dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr ||
         std::string_view(failure.what()).find("can't allocate memory") != std::string_view::npos;
}

}  // namespace lambda
