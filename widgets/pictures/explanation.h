#pragma once

#include <functional>
#include <utility>
#include <vector>

#include <QFrame>
#include <QPointer>
#include <QString>

class QLabel;
class QToolButton;

namespace lambda {

/// The content of a "What is this?" card. Rich text: &lambda; <sub>, <sup>, <i>.
struct ExplanationText {
  QString title;
  QString formula;  ///< On a line of its own and larger; may be empty.
  QString body;     ///< One or two short paragraphs.
  std::vector<std::pair<QString, QString>> numbers;  ///< Current numbers: name, value.

  bool operator==(const ExplanationText&) const = default;
};

/// A card over the window beside the picture that it explains. It blocks nothing: Esc, a click
/// elsewhere or a second click on its button closes it. While it is open it requests its text again
/// twice a second, so that its numbers are current.
class Explanation : public QFrame {
  Q_OBJECT

 public:
  /// Shows the card beside `anchor`, in the anchor's window, and gives it the keyboard focus. A
  /// card that is already open in this window closes.
  static Explanation* show(QWidget& anchor, std::function<ExplanationText()> text);

  bool eventFilter(QObject* watched, QEvent* event) override;

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  Explanation(QWidget& anchor, std::function<ExplanationText()> text);

  void refresh();
  void place();

  QPointer<QWidget> anchor_;
  std::function<ExplanationText()> text_;
  ExplanationText shown_;
  QLabel* title_;
  QLabel* formula_;
  QLabel* body_;
  QLabel* numbers_;
};

/// The quiet "What is this?" button that shows an explanation. A child of `owner`, which places it.
/// `text` is called while the card is open and must live as long as `owner`.
QToolButton* makeExplanationButton(QWidget& owner, std::function<ExplanationText()> text);

}  // namespace lambda
