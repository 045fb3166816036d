#pragma once

#include <functional>
#include <vector>

#include <QFrame>

class QVBoxLayout;

namespace lambda {

/// Lines at the top of the window that report what has happened and offer what to do about it. They
/// do not block. A report of success closes automatically and is replaced by the next one;
/// questions and failures stay until they are answered or closed. A notice of one page is shown
/// only beside that page.
class NoticeBar : public QFrame {
  Q_OBJECT

 public:
  enum class Kind { good, information, question, failure };

  struct Choice {
    QString text;
    std::function<void()> call;
  };

  explicit NoticeBar(QWidget* parent = nullptr);

  /// `page`: the one whose notice it is; null for a notice on every page.
  void tell(Kind kind,
            const QString& text,
            const std::vector<Choice>& choices = {},
            const QWidget* page = nullptr);

  /// Removes the notice of this text, which does not hold any more.
  void withdraw(const QString& text);

  /// The page in view.
  void setPage(const QWidget* page);

  /// The newest text in view; empty where there is none.
  QString text() const;

 private:
  class Notice;

  void removeReplacedBy(Kind kind, const QString& text);
  void remove(Notice& notice);
  bool isOfPage(const Notice& notice) const;
  void updateVisible();

  const QWidget* page_ = nullptr;
  std::vector<Notice*> notices_;  ///< The oldest first.
  QVBoxLayout* rows_;
};

}  // namespace lambda
