#pragma once

namespace lambda {

/// Bytes of main memory of this machine; 0 where they are not known.
long long machineMemory();

}  // namespace lambda
