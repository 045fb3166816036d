#pragma once

#include <vector>

#include <QWidget>

#include "app/session/runs/run_summary.h"
#include "widgets/work/work.h"

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace lambda {

class LambdaFigure;

/// The first page for newcomers: one click starts moving curves, a second one shows a lambda
/// matrix; for others the recent runs and files. Takes values, emits intents.
class WelcomePage : public QWidget {
  Q_OBJECT

 public:
  explicit WelcomePage(QWidget* parent = nullptr);

  /// Sets the runs of the library; the newest few are shown.
  void setRuns(const std::vector<RunSummary>& runs);

  void setRecentFiles(const QStringList& paths);

  /// The line at the foot of the page.
  void setHint(const QString& text);

  /// While a training is under way the first card opens it instead of starting one.
  void setTraining(bool isTraining);

 Q_SIGNALS:
  void quickstartRequested();
  void watchRequested();
  void designRequested();
  void inspectRequested(const std::filesystem::path& run);
  /// The network that is being trained.
  void inspectLiveRequested();
  void fileRequested(const QString& path);
  void openRequested();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void fitFigure();
  void updateCards();

  QWidget* content_ = nullptr;
  LambdaFigure* figure_ = nullptr;
  QPushButton* train_ = nullptr;
  QLabel* trainText_ = nullptr;
  QPushButton* inspect_ = nullptr;
  QLabel* inspectText_ = nullptr;
  QLabel* hint_ = nullptr;
  QVBoxLayout* runs_ = nullptr;
  QVBoxLayout* files_ = nullptr;
  std::filesystem::path newestRun_;
  QString newestRunName_;
  bool isTraining_ = false;
  Work recent_{*this};
};

}  // namespace lambda
