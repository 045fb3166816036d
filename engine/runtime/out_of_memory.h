#pragma once

#include <exception>
#include <new>
#include <string>
#include <string_view>

#include <c10/util/Exception.h>

#include "engine/runtime/error.h"
#include "engine/values/config/run_config.h"

namespace lambda {

/// Whether a failure of a tensor operation was caused by a lack of memory.
inline bool isOutOfMemory(const std::exception& failure) {
  return dynamic_cast<const std::bad_alloc*>(&failure) != nullptr ||
         dynamic_cast<const c10::OutOfMemoryError*>(&failure) != nullptr ||
         std::string_view(failure.what()).find("can't allocate memory") != std::string_view::npos;
}

/// The result of `work`. Its LibTorch failures become an Error at `place`, as does any lack of
/// memory, for which the hint says what to do. Other exceptions pass through.
template <class Work>
auto explainingFailures(const std::string& place, const Recipe& recipe, const Work& work) {
  try {
    return work();
  } catch (const Error&) {
    throw;
  } catch (const c10::Error& failure) {
    if (!isOutOfMemory(failure)) throw Error(place, failure.what_without_backtrace());
  } catch (const std::exception& failure) {
    if (!isOutOfMemory(failure)) throw;
  }
  throw Error(place,
              "there is not enough memory for a batch of " + std::to_string(recipe.batchSize),
              "choose a smaller batch, fewer heads, a smaller k or a local scope");
}

}  // namespace lambda
