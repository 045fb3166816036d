#pragma once

#include <string>

#include "app/session/engine_calls.h"

namespace lambda {

/// The engine in this process, in a library that is loaded at the first call. `library`: a path, or
/// a name that is searched for in the program's library paths.
EngineHandle loadedEngine(const std::string& library = "lambda-engine.so");

}  // namespace lambda
