#pragma once

#include <cstdint>

#include "engine/data/sequences/token_sequence.h"
#include "engine/values/config/sequence_source.h"
#include "engine/values/inspection/inspection.h"

// Sequences that are drawn, and can only be predicted by what was seen long before. Each depends
// only on (options, seed, split, index) and has the same tokens on every platform; the counts of
// the source have no influence.
namespace lambda {

/// The splits share a sequence only by chance: a sequence is among 10^6 of another split with a
/// chance of 10^6 / 2^40, where there are at least 2^40 different ones; problemsOf() warns of
/// options with fewer. Throws Error if the source has problems that are not warnings.
TokenSequence drawSequence(const RecallSource& source,
                           std::uint64_t seed,
                           Split split,
                           std::uint64_t index);
TokenSequence drawSequence(const CopySource& source,
                           std::uint64_t seed,
                           Split split,
                           std::uint64_t index);

}  // namespace lambda
