#include "engine/formats/files/folder_search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/values/text/quantities.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr std::size_t kDeepest = 32;  // Folders within folders.

}  // namespace

bool isLeftBehind(const fs::path& path) {
  constexpr std::array kNames{"__macosx"sv,
                              "thumbs.db"sv,
                              "ehthumbs.db"sv,
                              "desktop.ini"sv,
                              "icon\r"sv,
                              "@eadir"sv,
                              "#recycle"sv,
                              "$recycle.bin"sv,
                              "system volume information"sv,
                              "lost+found"sv};
  std::string name = path.filename().string();
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return name.starts_with('.') || std::ranges::find(kNames, name) != kNames.end();
}

bool FolderChain::enter(const fs::path& folder) {
  std::error_code failed;
  fs::path real = fs::canonical(folder, failed);
  const bool leadsBack = std::ranges::any_of(chain_, [&](const fs::path& above) {
    return std::mismatch(real.begin(), real.end(), above.begin(), above.end()).first == real.end();
  });
  if (failed || leadsBack || chain_.size() == kDeepest) return false;
  chain_.push_back(std::move(real));
  return true;
}

void PassedOver::add(std::string kind, const fs::path& path, std::string hint) {
  constexpr std::size_t kMostKinds = 20;
  if (found_.size() == kMostKinds && !found_.contains(kind)) kind = "other file";
  Entry& entry = found_[kind];
  entry.hint = std::move(hint);
  if (entry.count++ == 0 || path < entry.first) entry.first = path;
}

void PassedOver::addFile(const fs::path& path, std::string hint) {
  const std::string ending = path.extension().string();
  add(ending.empty() ? "extensionless file" : ending + " file", path, std::move(hint));
}

std::string PassedOver::summary() const {
  std::string text;
  for (const auto& [kind, entry] : found_) {
    text += (text.empty() ? "" : ", ") + formatCounted(entry.count, kind);
  }
  return text;
}

void PassedOver::addTo(std::vector<DataFinding>& findings, const fs::path& folder) const {
  for (const auto& [kind, entry] : found_) {
    const std::string verb = entry.count == 1 ? " is not read: " : " are not read, such as ";
    findings.push_back({Severity::warning,
                        folder.string(),
                        formatCounted(entry.count, kind) + verb + entry.first.string(),
                        entry.hint});
  }
}

}  // namespace lambda
