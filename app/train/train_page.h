#pragma once

#include <filesystem>
#include <string>

#include "app/session/page.h"

class QStackedWidget;

namespace lambda {

class ProjectDocument;
class ResultBanner;
class RunView;
class SetupView;
class TrainingSession;
class TransportBar;

/// The Train workspace: data and recipe with previews while nothing is trained; curves, the lambda
/// matrix and the position embeddings, live, while something is. Changes the document by its undo
/// steps, and the session by its wishes.
class TrainPage : public Page {
  Q_OBJECT

 public:
  TrainPage(ProjectDocument& document, TrainingSession& session, QWidget* parent = nullptr);
  ~TrainPage() override;

  /// Where new runs go.
  void setRunsFolder(const std::filesystem::path& folder);

  /// Where CIFAR-10 is downloaded to and looked for; by default the program's own data folder.
  void setDataFolder(const std::filesystem::path& folder);

  /// The device that would be used for the document's configuration and why, in a sentence, and the
  /// cores that there are. To be told again when the document's device has changed.
  void setDevice(const QString& sentence, int cores);

  /// Starts a training with the document's configuration. Where it has errors, says which and shows
  /// the first.
  void start();

  QList<QAction*> pageActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  void inspectRequested(const std::filesystem::path& run);
  void runsRequested(const std::filesystem::path& run);
  /// An error stands in the network: `path` is its field's.
  void designRequested(const std::string& path);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void connectSession();
  void connectBanner();
  void showSetup(bool shown);
  void goOnWithHalf(const std::filesystem::path& run);
  void countErrors();

  ProjectDocument& document_;
  TrainingSession& session_;
  std::filesystem::path runsFolder_;
  int errors_ = 0;  ///< Of the document and its data, when they were last counted.
  TransportBar* transport_;
  ResultBanner* banner_;
  QStackedWidget* views_;
  SetupView* setup_;
  RunView* run_;
};

}  // namespace lambda
