#include "engine/formats/cifar/cifar_files.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/formats/archives/tar.h"
#include "engine/formats/cifar/cifar_scan.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kInspectedEntries = 4;  // The first files of an archive identify the data set.

/// The path of the data set where a user names `path`.
fs::path locate(const fs::path& path, const CifarLayout& layout) {
  if (!isFolder(path)) return path;
  const auto holds = [&](const CifarFile& file) { return isThere(path / file.name); };
  if (std::ranges::any_of(layout.files, holds)) return path;
  if (isFolder(path / layout.folder)) return path / layout.folder;
  if (isThere(path / layout.archive)) return path / layout.archive;
  return path;
}

void noteNeighbours(const fs::path& folder, CifarScan& scan) {
  std::error_code code;
  for (fs::directory_iterator entry(folder, code), end; !code && entry != end;
       entry.increment(code)) {
    scan.noteOtherVersion(entry->path().filename().string());
  }
  if (code) {
    const Error error = systemError(folder, "cannot list the folder", code.value());
    scan.stop(error.place(), error.reason(), error.hint());
  }
}

void scanFile(const fs::path& path, std::size_t index, CifarScan& scan) {
  DataFileReport& file = scan.report.files[index];
  try {
    if (scan.hasRecords(index)) {
      FileReader reader(path);
      if (!scan.announce(index, reader.size())) return;
      std::vector<std::byte> bytes(scan.mostBytes(index));
      bytes.resize(reader.read(bytes));
      scan.add(index, bytes);
    } else {
      const std::string names = readFile(path, scan.mostBytes(index));
      scan.announce(index, names.size());
      scan.add(index, std::as_bytes(std::span(names)));
    }
  } catch (const Error& error) {
    file.present = true;
    scan.error(file.name, error.reason(), error.hint());
  }
}

void scanFolder(const fs::path& folder, CifarScan& scan) {
  noteNeighbours(folder, scan);
  for (std::size_t i = 0; i < scan.report.files.size(); ++i) {
    const fs::path path = folder / scan.report.files[i].name;
    if (isThere(path)) scanFile(path, i, scan);
  }
}

CifarScan scanPath(const fs::path& path, const CifarLayout& layout, bool keepImages) {
  const fs::path located = locate(path, layout);
  CifarScan scan(located.string(), layout, keepImages);
  if (isFolder(located)) {
    scan.noteOtherVersion(located.filename().string());
    scanFolder(located, scan);
  } else {
    try {
      scanCifarArchive(located, !keepImages, scan);
    } catch (const Error& error) {
      scan.stop(error.place(), error.reason(), error.hint());
    }
  }
  scan.finish();
  return scan;
}

DatasetInfo infoOf(const CifarScan& scan, const CifarLayout& layout) {
  const std::vector<std::string>& classNames = scan.images.train.classNames;
  std::int64_t images = 0;
  for (const CifarFile& file : layout.files) images += static_cast<std::int64_t>(file.images);
  const auto testImages = static_cast<std::int64_t>(layout.files.back().images);
  return {.shape = {3, 32, 32},
          .classes = static_cast<int>(classNames.size()),
          .classNames = classNames,
          .trainCount = images - testImages,
          .testCount = testImages};
}

Cifar imagesOf(CifarScan scan) {
  for (const DataFinding& finding : scan.report.findings) {
    if (finding.severity != Severity::error) continue;
    const std::string& source = scan.report.source;
    throw Error(finding.place == source ? source : source + "/" + finding.place,
                finding.text,
                finding.hint);
  }
  return std::move(scan.images);
}

}  // namespace

bool holdsCifar(const fs::path& path, const CifarLayout& layout) {
  std::vector<std::string_view> signs = layout.signs;
  signs.insert(signs.end(), {layout.folder, layout.archive});
  for (const CifarFile& file : layout.files) signs.push_back(file.name);
  if (!isFolder(path)) {
    const std::vector<std::string> entries = firstTarEntries(path, kInspectedEntries);
    return std::ranges::any_of(entries, [&](const std::string& entry) {
      const std::string name = entry.substr(entry.find_last_of('/') + 1);
      return entry.find(layout.archivedFolder) != entry.npos ||
             std::ranges::find(signs, name) != signs.end();
    });
  }
  std::error_code ignored;
  const auto isHere = [&](std::string_view name) { return isThere(path / name); };
  const auto isFile = [&](std::string_view name) {
    return fs::is_regular_file(path / name, ignored);
  };
  return std::ranges::any_of(signs, isHere) || std::ranges::all_of(layout.pythonFiles, isFile) ||
         (!layout.folderStart.empty() && path.filename().string().starts_with(layout.folderStart));
}

Cifar readCifar(const fs::path& path, const CifarLayout& layout) {
  return imagesOf(scanPath(path, layout, true));
}

DataReport checkCifar(const fs::path& path, const CifarLayout& layout) {
  CifarScan scan = scanPath(path, layout, false);
  if (scan.report.usable) scan.report.info = infoOf(scan, layout);
  return std::move(scan.report);
}

Cifar parseCifarArchive(std::span<const std::byte> bytes,
                        const std::string& place,
                        const CifarLayout& layout) {
  CifarScan scan(place, layout, true);
  scanCifarArchive(bytes, scan);
  scan.finish();
  return imagesOf(std::move(scan));
}

}  // namespace lambda
