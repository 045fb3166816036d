#pragma once

#include <filesystem>

#include <QWidget>

#include "engine/values/config/data_source.h"

class QAction;
class QLineEdit;
class QToolButton;

namespace lambda {

/// The place of a data set: a path to type, and dialogs to choose a folder or, for data sets that
/// are published as one, an archive.
class DataPlace : public QWidget {
  Q_OBJECT

 public:
  explicit DataPlace(QWidget* parent = nullptr);

  void setPlace(const std::filesystem::path& place);

  /// The kind of data, of which the words speak.
  void setKind(const DataSource& source);

  void setReadOnly(bool readOnly);

 Q_SIGNALS:
  void placeChosen(const std::filesystem::path& place);

 private:
  void choose(bool isFolder);

  std::filesystem::path place_;
  QString title_;
  QLineEdit* path_;
  bool isArchive_ = false;  ///< What is no folder is an archive.
  QAction* file_;
  QToolButton* choose_;
};

}  // namespace lambda
