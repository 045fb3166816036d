#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/values/run/text_sample.h"

namespace lambda {

/// Publishes a sample as JSON. Throws Error.
void writeTextSample(const std::filesystem::path& path, const TextSample& sample);

/// Reads such a file. Throws Error for one that is damaged.
TextSample readTextSample(const std::filesystem::path& path);

/// The same of a file in memory; `place` names it in errors.
TextSample textSampleOf(const std::string& text, const std::string& place);

/// The name of the sample of an epoch: "epoch-0007.json".
std::string textSampleName(int epoch);

/// The samples in a run's inspection folder, by epoch; none if there is no folder.
std::vector<std::filesystem::path> textSamplesOf(const std::filesystem::path& inspectionFolder);

}  // namespace lambda
