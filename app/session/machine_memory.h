#pragma once

namespace lambda {

/// Bytes of main memory of this machine; 0 where that can't be told.
long long machineMemory();

}  // namespace lambda
