#include "engine/formats/json/precision_cache.h"

#include <system_error>
#include <vector>

#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/field_json.h"
#include "engine/formats/json/json.h"
#include "engine/runtime/error.h"
#include "engine/values/config/record_fields.h"

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kMaxCacheBytes = 1 << 20;

/// The oldest entries are dropped when the file has more machines.
constexpr std::size_t kMostMachines = 64;

struct Entry {
  MeasuredMachine machine;
  PrecisionRates rates;
};

struct Entries {
  std::vector<Entry> entries;
};

template <Either<Entry> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"device", "name of the device"}, value.machine.device);
  visit(Field{"cpu", "name of the processor"}, value.machine.cpu);
  visit(Field{"torch", "version of LibTorch"}, value.machine.torch);
  visit(Field{"program", "version of Lambda Studio"}, value.machine.program);
  visit(Field{"rates", "measured rates"}, value.rates);
}

template <Either<Entries> Value, class Visit>
void visitFields(Value& value, Visit&& visit) {
  visit(Field{"machines", "measured machines", 0, kMostMachines}, value.entries);
}

std::vector<Entry> entriesOf(const fs::path& file) {
  try {
    const FieldReader reader(file.string(), nullptr);
    Entries read;
    reader.readFields(reader.upgraded(parseJson(readFile(file, kMaxCacheBytes), file.string())),
                      "",
                      read,
                      {"schema"});
    return std::move(read.entries);
  } catch (const Error&) {
    return {};
  }
}

const PrecisionRates* find(const std::vector<Entry>& entries, const MeasuredMachine& machine) {
  for (const Entry& entry : entries) {
    if (entry.machine == machine && entry.rates.wereMeasured()) return &entry.rates;
  }
  return nullptr;
}

}  // namespace

std::optional<PrecisionRates> keptRates(const fs::path& file, const MeasuredMachine& machine) {
  const std::vector<Entry> entries = entriesOf(file);
  const PrecisionRates* found = find(entries, machine);
  return found != nullptr ? std::optional(*found) : std::nullopt;
}

PrecisionRates keepRates(const fs::path& file,
                         const MeasuredMachine& machine,
                         const PrecisionRates& rates) {
  Entries kept{entriesOf(file)};
  if (const PrecisionRates* found = find(kept.entries, machine)) return *found;
  kept.entries.push_back({machine, rates});
  if (kept.entries.size() > kMostMachines) kept.entries.erase(kept.entries.begin());
  nlohmann::ordered_json document;
  document["schema"] = kSchema;
  appendFields(document, kept);
  try {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    writeFileDurably(file, formatJson(document));
  } catch (const Error&) {
    // The next run measures again.
  }
  return rates;
}

}  // namespace lambda
