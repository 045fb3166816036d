#pragma once

namespace lambda {

/// Prepares the process; main() calls it before everything else. Standard input, output and error
/// that are closed are opened on /dev/null, so that no other file or pipe gets their numbers. A
/// file that reaches the size limit (ulimit -f) is an error of the write (EFBIG) instead of a
/// signal that kills the process.
void prepareProcess();

}  // namespace lambda
