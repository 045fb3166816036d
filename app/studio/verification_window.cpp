#include "app/studio/verification_window.h"

#include <algorithm>

#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QHideEvent>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/session/machine_service.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(720, 560);

QString shown(const std::string& text) {
  return QString::fromStdString(text);
}

QLabel* makeLabel(const QString& text, const QString& role, QWidget* parent) {
  auto* label = new QLabel(text, parent);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  if (!role.isEmpty()) label->setProperty(kRole, role);
  return label;
}

/// "Residual 2.1e-16, limit 1e-12. LambdaNetworks, appendix B.1."
QString numbersOf(const StatementResult& result) {
  const QString outcome = result.failure.empty()
                              ? u"Residual %1, limit %2."_s.arg(numberText(result.residual, 2),
                                                                roundedText(result.limit))
                              : u"Could not be checked: %1."_s.arg(shown(result.failure));
  return outcome + u" %1."_s.arg(shown(result.source));
}

}  // namespace

VerificationWindow::VerificationWindow(MachineService& machine, QWidget* parent)
    : QDialog(parent),
      machine_(machine),
      state_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      copy_(new QPushButton(u"Copy as text"_s, this)),
      cancel_(new QPushButton(u"Cancel"_s, this)),
      again_(new QPushButton(u"Check again"_s, this)) {
  setWindowTitle(u"Statements of the papers"_s);
  makeLayout();
  resize((kSize * textScale()).boundedTo(screen()->availableSize()));
  connect(copy_, &QPushButton::clicked, this, &VerificationWindow::copyText);
  connect(cancel_, &QPushButton::clicked, this, &VerificationWindow::cancel);
  connect(again_, &QPushButton::clicked, this, &VerificationWindow::start);
}

void VerificationWindow::makeLayout() {
  auto* meaning = makeLabel(
      u"Each statement says that two computations are equal. Both are done by this build with "
      "random weights and several shapes. The residual is their greatest difference, as a share "
      "of the greatest value."_s,
      u"secondary"_s,
      this);
  state_->setWordWrap(true);
  progress_->setTextVisible(false);
  progress_->setFixedHeight(qRound(4 * textScale()));
  progress_->setAccessibleName(u"Checked statements"_s);

  auto* list = new QWidget;
  auto* column = new QVBoxLayout(list);
  column->setContentsMargins(16, 12, 16, 12);
  lines_ = new QGridLayout;
  lines_->setHorizontalSpacing(16);
  lines_->setVerticalSpacing(2);
  lines_->setColumnStretch(1, 1);
  column->addLayout(lines_);
  column->addStretch();
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setAccessibleName(u"Results"_s);
  area->setWidget(list);

  auto* buttons = new QHBoxLayout;
  buttons->addWidget(copy_);
  buttons->addStretch();
  buttons->addWidget(cancel_);
  buttons->addWidget(again_);
  auto* close = new QPushButton(u"Close"_s, this);
  connect(close, &QPushButton::clicked, this, &QWidget::close);
  buttons->addWidget(close);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(12);
  layout->addWidget(meaning);
  layout->addWidget(area, 1);
  layout->addWidget(progress_);
  layout->addWidget(state_);
  layout->addLayout(buttons);
}

void VerificationWindow::start() {
  if (isChecking_) return;
  results_.clear();
  while (QLayoutItem* item = lines_->takeAt(0)) {
    delete item->widget();
    delete item;
  }
  progress_->setRange(0, 0);
  progress_->show();
  setRole(*state_, {});
  state_->setText(u"The first statement is being checked."_s);
  copy_->setEnabled(false);
  again_->hide();
  cancel_->show();
  cancel_->setFocus();
  isChecking_ = true;
  check_.followNewest(
      machine_.verifyStatements(),
      [this](const std::optional<CheckedStatement>& checked) {
        checked ? add(checked->result, checked->count) : endWithResults();
      },
      [this](const QString& reason) {
        end(u"Could not check the statements: %1"_s.arg(reason), u"error"_s);
      });
}

void VerificationWindow::endWithResults() {
  const auto failed = std::ranges::count(results_, false, &StatementResult::holds);
  if (failed == 0) {
    end(u"All %1 statements hold in this build."_s.arg(results_.size()), u"success"_s);
  } else {
    end(u"%1 of %2 statements do not hold in this build."_s.arg(failed).arg(results_.size()),
        u"error"_s);
  }
}

void VerificationWindow::add(const StatementResult& result, int count) {
  const int line = 2 * static_cast<int>(results_.size());
  results_.push_back(result);
  QWidget* list = lines_->parentWidget();
  const bool holds = result.holds();
  auto* outcome =
      makeLabel(holds ? u"Holds"_s : u"Fails"_s, holds ? u"success"_s : u"error"_s, list);
  outcome->setWordWrap(false);
  lines_->addWidget(outcome, line, 0, Qt::AlignTop);
  lines_->addWidget(makeLabel(shown(result.statement), {}, list), line, 1);
  QLabel* numbers = makeLabel(numbersOf(result), u"hint"_s, list);
  numbers->setContentsMargins(0, 0, 0, 10);
  lines_->addWidget(numbers, line + 1, 1);
  const auto done = static_cast<int>(results_.size());
  progress_->setRange(0, count);
  progress_->setValue(done);
  state_->setText(u"%1 of %2 statements are checked."_s.arg(done).arg(count));
  copy_->setEnabled(true);
}

void VerificationWindow::end(const QString& text, const QString& role) {
  isChecking_ = false;
  progress_->hide();
  setRole(*state_, role);
  state_->setText(text);
  cancel_->hide();
  again_->show();
}

void VerificationWindow::cancel() {
  if (!isChecking_) return;
  check_.cancel();
  end(u"Cancelled after %1."_s.arg(
          countedText(static_cast<qint64>(results_.size()), u"statement"_s)),
      {});
}

void VerificationWindow::copyText() const {
  QString text;
  for (const StatementResult& result : results_) text += shown(textOf(result));
  QGuiApplication::clipboard()->setText(text);
}

void VerificationWindow::hideEvent(QHideEvent* event) {
  QDialog::hideEvent(event);
  if (!event->spontaneous()) cancel();
}

}  // namespace lambda
