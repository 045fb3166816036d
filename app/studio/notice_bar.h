#pragma once

#include <functional>
#include <vector>

#include <QFrame>

class QHBoxLayout;
class QLabel;
class QPushButton;
class QTimer;

namespace lambda {

/// A line at the top of the window that reports what has happened and offers what to do about it.
/// It does not block: reports of success close automatically, questions and failures stay until
/// they are closed.
class NoticeBar : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { good, information, question, failure };

  struct Choice {
    QString text;
    std::function<void()> call;
  };

  explicit NoticeBar(QWidget* parent = nullptr);

  void tell(Kind kind, const QString& text, const std::vector<Choice>& choices = {});

  QString text() const;

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void updateLooks();

  Kind kind_ = Kind::information;
  QLabel* icon_;
  QLabel* text_;
  QHBoxLayout* choices_;
  QPushButton* close_;
  QTimer* timer_;
};

}  // namespace lambda
