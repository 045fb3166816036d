#include "engine/data/sources/data_sources.h"

#include <filesystem>
#include <system_error>
#include <variant>
#include <vector>

#include "engine/data/sources/foreign_data.h"
#include "engine/data/sources/source_kinds.h"
#include "engine/runtime/error.h"
#include "engine/values/config/fields.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kKinds = std::variant_size_v<DataSource>;

/// Throws Error where nothing lies at the path. `sought`: a source of the kind that is expected
/// there.
void requirePlace(const std::string& path, const DataSource& sought) {
  std::error_code error;
  if (fs::exists(path, error)) return;
  const DataSourceTraits traits = traitsOf(sought);
  const std::string kind(traits.kind);
  throw Error(path,
              "the data is not here",
              traits.canBeDownloaded
                  ? "lambda data get " + kind + " downloads " + std::string(traits.title) +
                        " into ./" + kind +
                        "; --data PATH names another place; --data shapes10 needs no download."
                  : "Check the path; if the data lies elsewhere, name its place with --data PATH.");
}

void requirePlace(const DataSource& source) {
  if (const std::string* path = pathOf(source)) requirePlace(*path, source);
}

std::vector<DataSource> kindsAt(const fs::path& path) {
  std::vector<DataSource> found;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const DataSource source = valueOfKind<DataSource>(kind);
    // There is often some text beside images, such as a readme.
    if (traitsOf(source).isSequences && !found.empty()) continue;
    const bool liesThere = std::visit(
        [&](const auto& options) { return source_kinds::liesAt(path, options); }, source);
    if (liesThere) found.push_back(source);
  }
  return found;
}

/// The files of each kind that has a path, one line per kind.
std::string layouts() {
  std::string text;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const DataSourceTraits traits = traitsOf(valueOfKind<DataSource>(kind));
    if (traits.layout.empty()) continue;
    text += (text.empty() ? "" : "\n  ") + std::string(traits.title) + ": " +
            std::string(traits.layout);
  }
  return text;
}

}  // namespace

TrainingImages readTrainingImages(const DataSource& source) {
  requirePlace(source);
  return std::visit([](const auto& options) { return source_kinds::training(options); }, source);
}

LabeledImages readTestImages(const DataSource& source) {
  requirePlace(source);
  return std::visit([](const auto& options) { return source_kinds::test(options); }, source);
}

DatasetInfo probeDataset(const DataSource& source) {
  requirePlace(source);
  return std::visit([](const auto& options) { return source_kinds::probe(options); }, source);
}

DataReport checkDataset(const DataSource& source) {
  DataReport report =
      std::visit([](const auto& options) { return source_kinds::check(options); }, source);
  if (auto imbalance = imbalanceOf(report)) report.findings.push_back(std::move(*imbalance));
  return report;
}

DataSource recognizeDataSource(const std::string& named, const DataSource& like) {
  const auto& kinds = KindsOf<DataSource>::names;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (kinds[kind] != named) continue;
    const DataSource plain = valueOfKind<DataSource>(kind);
    if (like.index() != kind) return plain;
    DataSource source = like;
    if (std::string* path = pathOf(source)) *path = *pathOf(plain);
    return source;
  }
  requirePlace(named, like);
  std::error_code ignored;
  const bool isReadable = fs::is_directory(named, ignored) || fs::is_regular_file(named, ignored);
  const std::vector<DataSource> found =
      isReadable ? kindsAt(named) : std::vector<DataSource>();  // Opening a pipe would wait.
  if (found.empty()) {
    if (const auto foreign = foreignDataAt(named)) throw Error(*foreign);
  }
  if (found.size() != 1) {
    std::string titles;
    for (const DataSource& source : found) {
      titles += (titles.empty() ? "" : " and ") + std::string(traitsOf(source).title);
    }
    throw Error(named,
                found.empty() ? "no data set is recognised here" : "this could be " + titles,
                found.empty() ? "This place should hold one of these:\n  " + layouts()
                              : "Say which with --set 'data.source={\"kind\": \"...\", \"path\": "
                                "\"...\"}', or put each data set into a separate folder.");
  }
  const bool isLike = like.index() == found.front().index();
  DataSource source = isLike ? like : found.front();
  *pathOf(source) = named;
  if (!isLike) chooseOptions(source);
  return source;
}

void chooseOptions(DataSource& source) {
  std::visit([](auto& options) { source_kinds::chooseOptions(options); }, source);
}

bool dropMissingValidation(DataSource& source) {
  return std::visit([](auto& options) { return source_kinds::dropMissingValidation(options); },
                    source);
}

}  // namespace lambda
