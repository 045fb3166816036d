#pragma once

#include <functional>
#include <vector>

#include <QString>
#include <QWidget>

class QLabel;
class QHBoxLayout;

namespace lambda {

/// Shown where there are no runs to list: the reason, and buttons to change that.
class LibraryNotice : public QWidget {
  Q_OBJECT

 public:
  struct Button {
    QString text;
    std::function<void()> action;
  };

  explicit LibraryNotice(QWidget* parent = nullptr);

  /// The first button is the main one.
  void setContent(const QString& title, const QString& text, std::vector<Button> buttons);

  QString title() const;

 private:
  void updateSizes();

  QWidget* middle_;
  QLabel* title_;
  QLabel* text_;
  QHBoxLayout* buttons_;
};

}  // namespace lambda
