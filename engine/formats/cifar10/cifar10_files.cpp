#include "engine/formats/cifar10/cifar10_files.h"

#include <algorithm>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/formats/cifar10/cifar10_scan.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/files/file_system.h"

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr const char* kFolderName = "cifar-10-batches-bin";
constexpr const char* kArchiveName = "cifar-10-binary.tar.gz";

// The path of the data set where a user names `path`.
fs::path locate(const fs::path& path) {
  if (!isFolder(path)) return path;
  const auto holds = [&](std::string_view name) { return isThere(path / name); };
  if (std::ranges::any_of(Cifar10Scan::kFiles, holds)) return path;
  if (isFolder(path / kFolderName)) return path / kFolderName;
  if (isThere(path / kArchiveName)) return path / kArchiveName;
  return path;
}

void noteNeighbours(const fs::path& folder, Cifar10Scan& scan) {
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

void scanFile(const fs::path& path, std::size_t index, Cifar10Scan& scan) {
  DataFileReport& file = scan.report.files[index];
  try {
    FileReader reader(path);
    if (!scan.announce(index, reader.size())) return;
    std::vector<std::byte> bytes(scan.fileBytes());
    bytes.resize(reader.read(bytes));
    scan.addRecords(index, bytes);
  } catch (const Error& error) {
    file.present = true;
    scan.error(file.name, error.reason(), error.hint());
  }
}

void scanFolder(const fs::path& folder, Cifar10Scan& scan) {
  noteNeighbours(folder, scan);
  for (std::size_t i = 0; i < Cifar10Scan::kFiles.size(); ++i) {
    const fs::path path = folder / Cifar10Scan::kFiles[i];
    if (isThere(path)) scanFile(path, i, scan);
  }
  const fs::path names = folder / Cifar10Scan::kClassNamesFile;
  if (!isThere(names)) return;
  try {
    scan.addClassNames(readFile(names, Cifar10Scan::kMaxClassNamesBytes));
  } catch (const Error& error) {
    scan.error(std::string(Cifar10Scan::kClassNamesFile), error.reason(), error.hint());
  }
}

Cifar10Scan scanPath(const fs::path& path, const Cifar10Layout& layout, bool keepImages) {
  const fs::path located = locate(path);
  Cifar10Scan scan(located.string(), layout, keepImages);
  if (isFolder(located)) {
    scan.noteOtherVersion(located.filename().string());
    scanFolder(located, scan);
  } else {
    try {
      scanCifar10Archive(located, !keepImages, scan);
    } catch (const Error& error) {
      scan.stop(error.place(), error.reason(), error.hint());
    }
  }
  scan.finish();
  return scan;
}

DatasetInfo infoOf(const Cifar10Scan& scan, const Cifar10Layout& layout) {
  const auto perFile = static_cast<std::int64_t>(layout.imagesPerFile);
  const std::vector<std::string>& classNames = scan.images.train.classNames;
  return {.shape = {3, 32, 32},
          .classes = static_cast<int>(classNames.size()),
          .classNames = classNames,
          .trainCount = perFile * static_cast<std::int64_t>(Cifar10Scan::kTrainFiles),
          .testCount = perFile};
}

Cifar10 imagesOf(Cifar10Scan scan) {
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

Cifar10 readCifar10(const fs::path& path, const Cifar10Layout& layout) {
  return imagesOf(scanPath(path, layout, true));
}

DataReport checkCifar10(const fs::path& path, const Cifar10Layout& layout) {
  Cifar10Scan scan = scanPath(path, layout, false);
  if (scan.report.usable) scan.report.info = infoOf(scan, layout);
  return std::move(scan.report);
}

Cifar10 parseCifar10Archive(std::span<const std::byte> bytes,
                            const std::string& place,
                            const Cifar10Layout& layout) {
  Cifar10Scan scan(place, layout, true);
  scanCifar10Archive(bytes, scan);
  scan.finish();
  return imagesOf(std::move(scan));
}

}  // namespace lambda
