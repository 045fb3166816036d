#pragma once

#include <QFrame>

class QLabel;

namespace lambda {

/// A line that tells what an edit has also changed, or why it was not possible. It stays until the
/// network changes or a person closes it.
class NoticeLine : public QFrame {
  Q_OBJECT

 public:
  explicit NoticeLine(QWidget* parent = nullptr);

  /// `isFailure`: nothing was changed.
  void tell(const QString& text, bool isFailure);

  /// The text that is shown; empty while the line is hidden.
  QString text() const;

 private:
  void showSign();

  QLabel* sign_;
  QLabel* text_;
  bool isFailure_ = false;
};

}  // namespace lambda
