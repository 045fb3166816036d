#pragma once

#include <vector>

#include <QDialog>

#include "engine/values/verification/statement_result.h"
#include "widgets/work/work.h"

class QGridLayout;
class QLabel;
class QProgressBar;
class QPushButton;

namespace lambda {

class MachineService;

/// Checks the statements of the papers and lists each result as soon as it is known. Not modal. A
/// check ends when the window is closed.
class VerificationWindow : public QDialog {
  Q_OBJECT

 public:
  explicit VerificationWindow(MachineService& machine, QWidget* parent = nullptr);

  /// Begins a check, unless one is under way.
  void start();

 protected:
  void hideEvent(QHideEvent* event) override;

 private:
  void makeLayout();
  void add(const StatementResult& result, int count);
  void endWithResults();
  void end(const QString& text, const QString& role);
  void cancel();
  void copyText() const;

  MachineService& machine_;
  std::vector<StatementResult> results_;
  bool isChecking_ = false;
  Work check_{*this};
  QLabel* state_;
  QProgressBar* progress_;
  QGridLayout* lines_ = nullptr;
  QPushButton* copy_;
  QPushButton* cancel_;
  QPushButton* again_;
};

}  // namespace lambda
