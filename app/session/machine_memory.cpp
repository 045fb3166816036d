#include "app/session/machine_memory.h"

#include <unistd.h>

namespace lambda {

long long machineMemory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? static_cast<long long>(pages) * size : 0;
}

}  // namespace lambda
