#pragma once

#include <functional>

#include <QFrame>

class QLabel;
class QPushButton;
class QSpinBox;
class QTimer;
class QToolButton;

namespace lambda {

/// A line below the table that asks before an action, or reports a finished one and how to undo it.
/// It does not block: it waits, and the table can be used meanwhile. Escape closes it.
class RunsMessageBar : public QFrame {
  Q_OBJECT

 public:
  explicit RunsMessageBar(QWidget* parent = nullptr);

  /// Offers an action; its button has the focus.
  void ask(const QString& text, const QString& actionText, std::function<void()> action);

  /// The unit of a number, in the singular and the plural: "epoch", "epochs".
  struct Unit {
    QString one;
    QString many;
  };

  /// Offers an action with a number to choose.
  void askNumber(const QString& text,
                 const Unit& unit,
                 int value,
                 const QString& actionText,
                 std::function<void(int)> action);

  /// Closes a question; a report stays.
  void withdraw();

  /// Reports what has happened; closes after a while. `action`, for example an undo, may be empty.
  void tell(const QString& text, const QString& actionText = {}, std::function<void()> action = {});

  /// Reports what went wrong; stays until it is closed.
  void warn(const QString& text);

  QString text() const;

  QPushButton* actionButton() const { return action_; }

  QSpinBox* numberField() const { return number_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void show(const QString& text, const QString& actionText, std::function<void()> action);
  void showUnit();
  void updateIcons();

  QLabel* text_;
  QSpinBox* number_;
  QPushButton* action_;
  QToolButton* close_;
  QTimer* timer_;
  Unit unit_;
  std::function<void()> call_;
  bool isQuestion_ = false;
};

}  // namespace lambda
