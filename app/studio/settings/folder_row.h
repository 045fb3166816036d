#pragma once

#include <QString>
#include <QWidget>

#include "widgets/work/work.h"

class QLabel;
class QLineEdit;
class QPushButton;

namespace lambda {

/// A folder that a person types or chooses. It is accepted only if files can be written there,
/// which is tried on another thread.
class FolderRow : public QWidget {
  Q_OBJECT

 public:
  /// `name` is the folder's subject, for example "Runs"; `standard` the text for the empty choice.
  FolderRow(const QString& name, const QString& standard, QWidget* parent = nullptr);

  /// `folder` is the one in use, also where it is the standard one.
  void setFolder(const QString& folder, bool isStandard);

 Q_SIGNALS:
  /// An empty folder stands for the standard one.
  void folderChosen(const QString& folder);

 private:
  void choose();
  void take(const QString& folder);
  void tell(const QString& text, const QString& role);

  QString name_;
  QString folder_;
  QLineEdit* path_;
  QPushButton* standard_;
  QLabel* state_;
  Work check_;
};

/// Why no files can be written in a folder and what to do; empty where they can. Reads the disk.
QString folderProblem(const QString& folder);

}  // namespace lambda
