#include "widgets/theme/question_box.h"

#include <QPushButton>

#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kSignSide = 28;

/// A message with a sign in the colours of the theme.
class MessageBox : public QMessageBox {
 public:
  MessageBox(bool isFailure, QWidget& window) : QMessageBox(&window), isFailure_(isFailure) {
    setAttribute(Qt::WA_DeleteOnClose);
    setTextFormat(Qt::PlainText);
    updateSign();
    onPaletteChange(*this, [this] { updateSign(); });
  }

 private:
  void updateSign() {
    const Colors& colors = colorsOf(*this);
    const QIcon sign = isFailure_ ? lambda::icon(u"error"_s, colors.error)
                                  : lambda::icon(u"help"_s, colors.accent);
    const int side = qRound(kSignSide * textScale());
    setIconPixmap(sign.pixmap(side, side));
  }

  bool isFailure_;
};

}  // namespace

QMessageBox* ask(const Question& question, QWidget& window) {
  auto* box = new MessageBox(false, window);
  box->setWindowTitle(question.title);
  box->setText(question.text);
  box->setInformativeText(question.detail);
  QPushButton* safe = nullptr;
  for (const Answer& answer : question.answers) {
    QPushButton* button = box->addButton(answer.button);
    button->setText(answer.verb);
    if (!safe) safe = button;
  }
  // When the box has closed, so that an answer may ask again.
  QObject::connect(box, &QDialog::finished, &window, [box, answers = question.answers] {
    for (const Answer& answer : answers) {
      if (box->button(answer.button) == box->clickedButton() && answer.call) answer.call();
    }
  });
  if (safe) {
    setRole(*safe, u"primary"_s);
    box->setDefaultButton(safe);
  }
  box->open();
  return box;
}

QMessageBox* showFailure(const QString& what, const QString& why, QWidget& window) {
  auto* box = new MessageBox(true, window);
  box->setWindowTitle(what);
  box->setText(what + u'.');
  box->setInformativeText(why);
  box->addButton(QMessageBox::Close);
  box->open();
  return box;
}

}  // namespace lambda
