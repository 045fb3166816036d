#pragma once

#include <filesystem>

namespace lambda {

/// Counts a look at the test set in the record of the run that a checkpoint belongs to, and writes
/// the accuracy that was seen there. Returns how many looks there have been, this one included.
/// Checkpoints outside of a run have no record, and a run that is being trained writes its own:
/// nothing is written then. Throws Error if the record can't be read or written.
int countTestLook(const std::filesystem::path& checkpoint, double accuracy);

}  // namespace lambda
