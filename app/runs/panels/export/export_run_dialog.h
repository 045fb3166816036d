#pragma once

#include <filesystem>

#include <QDialog>

#include "engine/trained/export_run.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QProgressBar;
class QPushButton;

namespace lambda {

class ExportSession;

/// What a run can be exported as: a list of kinds with a sentence on each, their options, a place,
/// and the progress. Not modal. Closing it while an export runs asks that to stop.
class ExportRunDialog : public QDialog {
  Q_OBJECT

 public:
  /// `session` outlives the dialog.
  ExportRunDialog(std::filesystem::path run,
                  const QString& name,
                  ExportSession& session,
                  QWidget* parent = nullptr);
  ~ExportRunDialog() override;

  /// The export that the form describes.
  ExportJob job() const;

 private:
  RunExport kind() const;
  bool isFolder() const;
  QString ending() const;
  void kindChosen();
  void formatChosen();
  void browse();
  void start();
  void finish(const ExportReport& report);
  void tell(const QString& text, const char* role);
  void updateState();

  std::filesystem::path run_;
  ExportSession& session_;
  QListWidget* kinds_;
  QLabel* meaning_;
  QComboBox* split_;
  QComboBox* format_;
  QComboBox* augmentation_;
  QLineEdit* license_;
  QLineEdit* place_;
  QPushButton* browse_;
  QLabel* message_;
  QProgressBar* progress_;
  QPushButton* export_;
  QPushButton* close_;
  QString suggested_;  ///< The place as the dialog proposed it; an edited one stays.
};

}  // namespace lambda
