#pragma once

#include <filesystem>

#include <QString>

namespace lambda {

/// What a person opens, which decides where it is opened.
enum class OpenedKind {
  missing,     ///< There is no such file.
  document,    ///< A network or a run's configuration, or a file that nothing else can read.
  experiment,  ///< The file of an experiment that has no folder yet.
  experimentFolder,
  run,
  checkpoint,
  foreignWeights,  ///< Weights of PyTorch.
  data,
  foreignData,  ///< Data in a form that has to be changed before it can be read.
  log,          ///< A folder of event files.
  onnx,         ///< Can be exported, not opened.
};

struct OpenedFile {
  OpenedKind kind = OpenedKind::missing;
  std::filesystem::path place;  ///< Absolute; the folder that belongs to a chosen record in it.
};

/// Recognises a file or folder by its content where its name does not tell. Reads the file.
OpenedFile openedFile(const QString& path);

/// Why weights of PyTorch can't be those in a file; empty where they can. Reads its beginning.
QString weightsProblem(const std::filesystem::path& file);

}  // namespace lambda
