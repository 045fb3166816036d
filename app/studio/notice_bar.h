#pragma once

#include <functional>

#include <QFrame>

class QLabel;
class QPushButton;
class QTimer;

namespace lambda {

/// A line at the top of the window that says what has happened and offers one thing to do about it.
/// Never in the way: good news leave by themselves, failures stay until they are closed.
class NoticeBar : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { good, information, failure };

  explicit NoticeBar(QWidget* parent = nullptr);

  /// `action` and its label may be empty.
  void tell(Kind kind,
            const QString& text,
            const QString& actionText = {},
            std::function<void()> action = {});

  QString text() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateLooks();

  Kind kind_ = Kind::information;
  QLabel* icon_;
  QLabel* text_;
  QPushButton* action_;
  QPushButton* close_;
  QTimer* timer_;
  std::function<void()> call_;
};

}  // namespace lambda
