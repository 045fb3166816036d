#pragma once

#include <functional>
#include <vector>

#include <QFrame>

class QVBoxLayout;

namespace lambda {

/// Lines at the top of the window that report what has happened and offer what to do about it. They
/// do not block. A report of success closes automatically and is replaced by the next one;
/// questions and failures stay until they are answered or closed.
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

  /// The newest text; empty where there is no notice.
  QString text() const;

 private:
  class Notice;

  void removeReplacedBy(Kind kind, const QString& text);
  void remove(Notice& notice);

  std::vector<Notice*> notices_;  ///< The oldest first.
  QVBoxLayout* rows_;
};

}  // namespace lambda
