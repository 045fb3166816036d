#include "app/design/problems/problems_panel.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/design/problems/problem_row.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kMostHeight = 176;
constexpr int kScrollBarWidth = 10;

}  // namespace

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : QFrame(parent),
      errorIcon_(new QLabel(this)),
      errors_(new QLabel(this)),
      warningIcon_(new QLabel(this)),
      warnings_(new QLabel(this)),
      none_(new QLabel(u"No problems found."_s, this)),
      header_(new QWidget(this)),
      area_(new QScrollArea(this)),
      content_(new QWidget) {
  setProperty(kRole, u"panel"_s);
  auto* title = new QLabel(u"Problems"_s, this);
  title->setProperty(kRole, u"heading"_s);
  auto* header = new QHBoxLayout(header_);
  header->setContentsMargins(16, 5, 16, 5);
  header->setSpacing(4);
  header->addWidget(title);
  header->addSpacing(8);
  header->addWidget(none_);
  for (QLabel* label : {errorIcon_, errors_, warningIcon_, warnings_}) {
    header->addWidget(label);
    if (label == errors_) header->addSpacing(8);
  }
  header->addStretch();
  none_->setProperty(kRole, u"secondary"_s);

  list_ = new QVBoxLayout(content_);
  list_->setContentsMargins(0, 0, 0, 8);
  list_->setSpacing(0);
  area_->setWidgetResizable(true);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setWidget(content_);
  auto* layout = makeBareLayout<QVBoxLayout>(this, 0);
  layout->addWidget(header_);
  layout->addWidget(area_, 1);
  showCounts();
  onPaletteChange(*this, [this] {
    showCounts();
    showProblems();
    Q_EMIT heightChanged();
  });
}

void ProblemsPanel::setProblems(const std::vector<Problem>& problems) {
  if (problems == problems_) return;
  problems_ = problems;
  showCounts();
  showProblems();
  Q_EMIT heightChanged();
}

QSize ProblemsPanel::sizeHint() const {
  const int header = header_->sizeHint().height();
  if (problems_.empty()) return {240, header};
  const int most = qRound(kMostHeight * textScale());
  return {240, std::min(most, header + content_->heightForWidth(width() - kScrollBarWidth))};
}

QSize ProblemsPanel::minimumSizeHint() const {
  return header_->sizeHint();
}

void ProblemsPanel::resizeEvent(QResizeEvent* event) {
  QFrame::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) Q_EMIT heightChanged();
}

void ProblemsPanel::showCounts() {
  const auto errors = std::count_if(problems_.begin(), problems_.end(), [](const Problem& problem) {
    return problem.severity == Severity::error;
  });
  const auto warnings = std::ssize(problems_) - errors;
  const Colors& colors = colorsOf(*this);
  const auto show = [&](QLabel& sign,
                        QLabel& count,
                        const QString& name,
                        const QColor& color,
                        std::ptrdiff_t number,
                        const QString& meaning) {
    sign.setPixmap(icon(name, color).pixmap(iconSizeForText(), devicePixelRatioF()));
    count.setText(QString::number(number));
    count.setAccessibleName(meaning);
    count.setToolTip(meaning);
    sign.setVisible(number > 0);
    count.setVisible(number > 0);
  };
  show(*errorIcon_,
       *errors_,
       u"error"_s,
       colors.error,
       errors,
       countedText(static_cast<int>(errors), u"One error"_s, u"%1 errors"_s));
  show(*warningIcon_,
       *warnings_,
       u"warning"_s,
       colors.warning,
       warnings,
       countedText(static_cast<int>(warnings), u"One warning"_s, u"%1 warnings"_s));
  none_->setVisible(problems_.empty());
  area_->setVisible(!problems_.empty());
}

void ProblemsPanel::showProblems() {
  while (QLayoutItem* item = list_->takeAt(0)) {
    if (QWidget* row = item->widget()) {
      row->hide();
      row->deleteLater();
    }
    delete item;
  }
  QList<QWidget*> order;
  for (const ProblemGroup& group : groupsOf(problems_)) {
    auto* row = new ProblemRow(group, content_);
    connect(row, &ProblemRow::activated, this, [this, group] { Q_EMIT activated(group); });
    connect(row, &ProblemRow::fixRequested, this, [this, group] {
      Q_EMIT fixRequested(fixesOf(group));
    });
    list_->addWidget(row);
    row->show();
    order << row;
    if (auto* fix = row->findChild<QPushButton*>()) order << fix;
  }
  list_->addStretch();
  setTabOrderIn(*this, order);
}

}  // namespace lambda
