#pragma once

#include <filesystem>

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace lambda {

/// The place of a data set: a path to type, and dialogs to choose a folder or an archive.
class DataPlace : public QWidget {
  Q_OBJECT

 public:
  explicit DataPlace(QWidget* parent = nullptr);

  void setPlace(const std::filesystem::path& place);

  void setReadOnly(bool readOnly);

 Q_SIGNALS:
  void placeChosen(const std::filesystem::path& place);

 private:
  void choose(bool isFolder);

  std::filesystem::path place_;
  QLineEdit* path_;
  QToolButton* choose_;
};

}  // namespace lambda
