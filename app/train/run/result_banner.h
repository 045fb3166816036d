#pragma once

#include <filesystem>

#include <QFrame>

#include "engine/values/run/metrics.h"

class QLabel;
class QPushButton;
class QToolButton;

namespace lambda {

/// The end of the last training: its result and what to do next, or what happened, why and what to
/// do. Hidden until there is something to show.
class ResultBanner : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { finished, stopped, left, failed, refused };

  explicit ResultBanner(QWidget* parent = nullptr);

  /// A training has ended. `epochs` is the planned number, `loss` the best validation loss in other
  /// words; may be empty.
  void showResult(const RunResult& result, int epochs, const QString& loss = {});

  /// A training could not begin, for these reasons; `title` says so unless another is given.
  void showRefusal(const QStringList& reasons, const QString& title = {});

  /// Removes the message.
  void clear();

  bool isEmpty() const { return isEmpty_; }

  const std::filesystem::path& run() const { return run_; }

  /// The kind of the current message, or of the last one.
  Kind kind() const { return kind_; }

 Q_SIGNALS:
  void inspectRequested(const std::filesystem::path& run);
  void runsRequested(const std::filesystem::path& run);
  void resumeRequested(const std::filesystem::path& run);
  void trainAgainRequested();
  /// Request to continue from the last checkpoint of a run whose values diverged, with half its
  /// learning rate.
  void halveRequested(const std::filesystem::path& run);

 private:
  void present(Kind kind, const QString& title, const QString& text);
  void updateIcons();

  Kind kind_ = Kind::finished;
  bool isEmpty_ = true;
  std::filesystem::path run_;
  QString copied_;
  QLabel* sign_;
  QLabel* title_;
  QLabel* text_;
  QPushButton* inspect_;
  QPushButton* runs_;
  QPushButton* resume_;
  QPushButton* halve_;
  QPushButton* again_;
  QToolButton* copy_;
  QToolButton* close_;
};

}  // namespace lambda
