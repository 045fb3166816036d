#pragma once

#include <utility>

#include <ATen/Parallel.h>

#include "engine/training/resolved_config.h"

namespace lambda::test {

/// A configuration resolved for the CPU, with the threads that the test has.
inline ResolvedConfig onCpu(RunConfig config) {
  return {
      std::move(config),
      ComputeDevice{
          .kind = DeviceKind::cpu, .name = "cpu", .reason = "", .threads = at::get_num_threads()}};
}

}  // namespace lambda::test
