#pragma once

namespace lambda {

/// Locks an open file as a whole, without waiting: a record lock of the open file description
/// (fcntl(2), F_OFD_SETLK), which descriptors share that were inherited, and which the system
/// releases when the last of them is closed. `type`: F_RDLCK or F_WRLCK; the latter needs a file
/// that is open for writing. Returns false with errno where another has it, or the file system has
/// no locks.
bool lockFile(int descriptor, short type);

/// Whether any other open file description has such a lock on the file.
bool isFileLocked(int descriptor);

}  // namespace lambda
