#pragma once

#include <filesystem>

#include <QTimer>
#include <QWidget>

#include "app/runs/run_row.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace lambda {

class RunLibrary;
class RunTableModel;

/// Tags and notes of one run. Typed text is written when typing ends, when another run is shown,
/// and at the end.
class RunAnnotations : public QWidget {
  Q_OBJECT

 public:
  /// Both outlive the widget.
  RunAnnotations(RunLibrary& library, const RunTableModel& runs, QWidget* parent = nullptr);
  ~RunAnnotations() override;

  /// Shows a run's tags and notes; text that is being typed for the same run stays.
  void showRun(const RunRow& row);

  void editTags();
  void editNotes();

  /// Writes all pending changes.
  void save();

 private:
  void updateSizes();
  void edited();

  RunLibrary& library_;
  const RunTableModel& runs_;
  std::filesystem::path run_;
  std::filesystem::path edited_;  ///< The run with pending tags or notes.
  bool isFilling_ = false;
  QLineEdit* tags_;
  QPlainTextEdit* notes_;
  QLabel* note_;
  QTimer saveTimer_;
};

}  // namespace lambda
