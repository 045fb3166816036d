#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/fields/problem.h"
#include "engine/values/run/run_record.h"

namespace lambda {

// run.json, under the rules of config_json.h.

std::string toJson(const RunRecord& record);

RunRecord runRecordFromJson(std::string_view text,
                            const std::string& file,
                            std::vector<Problem>& warnings);

/// Reads a run.json. Throws Error if it can't be read or its content is refused.
RunRecord readRunRecord(const std::filesystem::path& file, std::vector<Problem>& warnings);

/// Writes the whole file atomically (writeFileDurably). Throws Error naming it.
void writeRunRecord(const std::filesystem::path& file, const RunRecord& record);

}  // namespace lambda
