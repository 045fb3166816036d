#pragma once

#include <QElapsedTimer>
#include <QList>
#include <QString>
#include <QWidget>

#include "engine/values/config/run_config.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QMenu;
class QPushButton;
class QToolButton;

namespace lambda {

class ElidedLabel;
class TrainingSession;

/// The head of the page and the buttons and keys that start, pause, step and stop. Its title names
/// what the page shows below: the run whose curves are shown and its progress or result, or the
/// document with its problems. Beside a run it says where the document differs, since a start
/// trains the document. Actions that are possible in the session's state are enabled; the text
/// beside them answers each request at once.
class TransportBar : public QWidget {
  Q_OBJECT

 public:
  explicit TransportBar(TrainingSession& session, QWidget* parent = nullptr);

  /// The document that would be trained, for the time before there is a run.
  void setDocument(const QString& name, const RunConfig& config);

  /// Whether starting is the main action.
  void setStartProminent(bool prominent);

  /// The errors of the document that prevent a start, with the names of their fields.
  void setErrors(const QStringList& errors);

  /// Whether the page shows the settings, else the run.
  void setShowsSettings(bool shown);

  QAction* startAction() const { return start_; }

  QAction* pauseAction() const { return pause_; }

  QAction* stepAction() const { return step_; }

  QAction* stopAction() const { return stop_; }

  /// Checkable: shows the settings instead of the curves.
  QAction* settingsAction() const { return settings_; }

  /// The other machines on which a training can be started.
  void setPlaces(const QStringList& places);

  QList<QAction*> actionsInOrder() const;

 Q_SIGNALS:
  void startRequested();
  /// On the machine of this index among the places.
  void startElsewhereRequested(int place);

 private:
  void makeActions();
  void makeElsewhere(QHBoxLayout& row);
  void makeButtons();
  void showState();
  void showWords();
  void showTitle(const QString& title);
  bool isAboutRun() const;
  bool differsFromRun() const;
  QString runText() const;
  QString documentText() const;
  void updateIcons();

  TrainingSession& session_;
  QString documentName_;
  RunConfig document_;
  QStringList errors_;
  QElapsedTimer shown_;  ///< Time since the text last changed.
  QLabel* title_;
  ElidedLabel* recipe_;
  ElidedLabel* words_;
  QAction* start_;
  QAction* pause_;
  QAction* step_;
  QAction* stop_;
  QAction* leave_;
  QAction* settings_;
  QMenu* elsewhere_;
  QToolButton* elsewhereButton_;
  QToolButton* leaveButton_;
  QPushButton* startButton_;
  QToolButton* settingsButton_;
  QList<QToolButton*> runButtons_;
};

}  // namespace lambda
