#pragma once

#include <cstdint>
#include <string>

namespace lambda {

/// The instruction sets of this CPU, as bits of Highway's targets.
std::int64_t instructionSetsHere();

/// The instruction set without which no kernel of this build runs, where `supported` lacks it;
/// else empty. Builds for any machine need none.
std::string lackingInstructionSet(std::int64_t supported = instructionSetsHere());

/// The widest instruction set that the kernels of this build use on this CPU: "AVX-512", "AVX2".
std::string instructionSetName();

}  // namespace lambda
