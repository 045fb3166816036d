#pragma once

#include <functional>
#include <vector>

#include <QMessageBox>
#include <QString>

namespace lambda {

/// One answer to a question.
struct Answer {
  QMessageBox::StandardButton button = QMessageBox::Cancel;  ///< Its role and its usual place.
  QString verb;                                              ///< "Save", "Stop and close".
  std::function<void()> call;                                ///< Empty = nothing happens.
};

/// A question over a window, in whole sentences, with verbs on its buttons.
struct Question {
  QString title;
  QString text;
  QString detail;               ///< What the answers do; may be empty.
  std::vector<Answer> answers;  ///< The first one is the safe one: Return gives it.
};

/// Shows a question and returns at once; the answer is called later. Escape gives the answer that
/// has the button Cancel. The box belongs to `window` and destroys itself.
QMessageBox* ask(const Question& question, QWidget& window);

/// Shows an error that needs to be read: `what` begins with "Could not", `why` is the reason and
/// what to do.
QMessageBox* showFailure(const QString& what, const QString& why, QWidget& window);

}  // namespace lambda
