#include "app/studio/opened_file.h"

#include <QFileInfo>

#include "app/session/data_location.h"
#include "engine/data/sources/foreign_data.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/formats/files/durable_file.h"
#include "engine/formats/json/config_json.h"
#include "engine/formats/transfer/weight_transfer.h"
#include "engine/runtime/error.h"
#include "widgets/text/path_text.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr std::uint64_t kLargestJson = 32 << 20;

DocumentKind documentKindOf(const fs::path& file) {
  try {
    return documentKind(readFile(file, kLargestJson), file.string());
  } catch (const Error&) {
    return DocumentKind::unknown;  // Opening it says why it can't be read.
  }
}

/// A file whose name does not tell what it is.
OpenedFile openedJson(const fs::path& file) {
  std::error_code error;
  switch (documentKindOf(file)) {
    case DocumentKind::experiment:
      // The record in the folder of an experiment, or a file that describes one.
      if (file.filename() == "experiment.json" &&
          fs::is_directory(file.parent_path() / "runs", error))
        return {OpenedKind::experimentFolder, file.parent_path()};
      return {OpenedKind::experiment, file};
    case DocumentKind::runRecord:
      if (file.filename() == "run.json") return {OpenedKind::run, file.parent_path()};
      break;
    case DocumentKind::network:
    case DocumentKind::run:
    case DocumentKind::unknown:
      break;
  }
  return {OpenedKind::document, file};
}

}  // namespace

QString weightsProblem(const fs::path& file) {
  try {
    if (beginsAsWeights(file)) return {};
  } catch (const Error& error) {
    return QString::fromStdString(error.what());
  }
  return u"Could not open %1: it is damaged, or it has no weights of PyTorch. Use another copy, or "
         "save the weights again with torch.save()."_s.arg(toText(file.filename()));
}

OpenedFile openedFile(const QString& path) {
  const QFileInfo file(path);
  const fs::path place = toPath(file.absoluteFilePath());
  if (!file.exists()) return {OpenedKind::missing, place};
  if (file.isDir() && QFileInfo::exists(path + u"/run.json"_s)) return {OpenedKind::run, place};
  if (ExperimentFolder::isAt(place)) return {OpenedKind::experimentFolder, place};
  if (holdsData(place)) return {OpenedKind::data, place};
  if (file.isDir()) return {OpenedKind::log, place};
  const QString suffix = file.suffix().toLower();
  if (suffix == u"pt"_s || suffix == u"pth"_s) return {OpenedKind::foreignWeights, place};
  if (suffix == u"safetensors"_s) return {OpenedKind::checkpoint, place};
  if (suffix == u"onnx"_s) return {OpenedKind::onnx, place};
  if (file.fileName().contains(u"tfevents"_s)) return {OpenedKind::log, place.parent_path()};
  if (foreignDataAt(place)) return {OpenedKind::foreignData, place};
  return openedJson(place);
}

}  // namespace lambda
