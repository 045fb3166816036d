#pragma once

namespace lambda {

/// Prepares the process for everything else, so that main() calls it first. Standard input, output and error that are closed are
/// opened on /dev/null, so that no file or pipe is opened under their numbers. A file that
/// reaches the limit of its size (ulimit -f) is an error of the write (EFBIG) instead of a signal
/// that kills the process.
void prepareProcess();

}  // namespace lambda
