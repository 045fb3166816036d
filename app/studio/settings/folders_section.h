#pragma once

#include <QWidget>

namespace lambda {

class FolderRow;
class Preferences;
class RunLibrary;

/// Where runs, data sets and exports are.
class FoldersSection : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive the section.
  FoldersSection(Preferences& preferences, RunLibrary& library, QWidget* parent = nullptr);

 private:
  void showSettings();

  Preferences& preferences_;
  RunLibrary& library_;
  FolderRow* runs_;
  FolderRow* data_;
  FolderRow* exports_;
};

}  // namespace lambda
