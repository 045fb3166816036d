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

/// What a "What is this?" text says. Rich text: &lambda; <sub>, <sup>, <i>.
struct ExplanationText {
  QString title;
  QString formula;                                   ///< Set apart and larger; may be empty.
  QString body;                                      ///< One or two short paragraphs.
  std::vector<std::pair<QString, QString>> numbers;  ///< Those of the moment: what, how much.

  bool operator==(const ExplanationText&) const = default;
};

/// A card that lies over the window beside the picture it explains. It does not block anything:
/// Esc, a click elsewhere or its button's second click close it. While it is open it asks for its
/// text again twice a second, so that its numbers are those of the moment.
class Explanation : public QFrame {
  Q_OBJECT

 public:
  /// Shows it beside `anchor`, in the anchor's window, and gives it the keyboard. One that is open
  /// in this window closes.
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

/// The quiet "What is this?" button that shows an explanation. A child of `owner`; it does not
/// place itself. `text` is asked while the card is open and must live as long as `owner`.
QToolButton* makeExplanationButton(QWidget& owner, std::function<ExplanationText()> text);

}  // namespace lambda
