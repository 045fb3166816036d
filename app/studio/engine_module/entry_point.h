#pragma once

namespace lambda {

class EngineCalls;

/// The only symbol that lambda-engine.so exports. The caller owns the result. It has C linkage, so
/// that it is found by its name; the caller and the library are always built together.
using MakeEngine = EngineCalls* (*)();

inline constexpr const char* kMakeEngineSymbol = "lambdaMakeEngine";
inline constexpr const char* kEngineLibrary = "lambda-engine.so";

}  // namespace lambda
