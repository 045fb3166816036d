#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/values/config/precision_choice.h"

namespace lambda {

/// What measured rates depend on.
struct MeasuredMachine {
  std::string device;   ///< "cpu", or the GPU's name.
  std::string cpu;      ///< Name of the processor.
  std::string torch;    ///< Version of LibTorch.
  std::string program;  ///< Version of Lambda Studio.

  bool operator==(const MeasuredMachine&) const = default;
};

/// The rates kept in the file for the machine; nothing for another machine, and for a file that is
/// missing or damaged.
std::optional<PrecisionRates> keptRates(const std::filesystem::path& file,
                                        const MeasuredMachine& machine);

/// Adds the rates of a machine to the file, whose folder is made where it is missing. If the file
/// has rates of it already, they stay and are returned: all runs on a machine choose by the same.
/// Never throws Error: without the file the rates are only measured again.
PrecisionRates keepRates(const std::filesystem::path& file,
                         const MeasuredMachine& machine,
                         const PrecisionRates& rates);

}  // namespace lambda
