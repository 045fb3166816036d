#include "app/design/problems_panel.h"

#include <algorithm>

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QResizeEvent>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/design/problem_row.h"
#include "widgets/network/parts/network_parts.h"
#include "widgets/network/parts/network_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kMostHeight = 264;
constexpr int kScrollBar = 10;

}  // namespace

QString placeOf(const Problem& problem) {
  if (const std::optional<PartId> part = partAt(problem.path)) return partTitle(*part);
  if (problem.path.starts_with("architecture")) return ProblemsPanel::tr("Network");
  if (problem.path.starts_with("data")) return ProblemsPanel::tr("Data");
  if (problem.path.starts_with("recipe")) return ProblemsPanel::tr("Recipe");
  if (problem.path.starts_with("checkpoints")) return ProblemsPanel::tr("Checkpoints");
  if (problem.path.starts_with("device")) return ProblemsPanel::tr("Device");
  return QString::fromStdString(problem.path);
}

ProblemsPanel::ProblemsPanel(QWidget* parent)
    : QFrame(parent),
      errorIcon_(new QLabel(this)),
      errors_(new QLabel(this)),
      warningIcon_(new QLabel(this)),
      warnings_(new QLabel(this)),
      none_(new QLabel(tr("No problems found."), this)),
      header_(new QWidget(this)),
      area_(new QScrollArea(this)),
      content_(new QWidget) {
  setProperty(kRole, u"panel"_s);
  auto* title = new QLabel(tr("Problems"), this);
  title->setProperty(kRole, u"heading"_s);
  auto* header = new QHBoxLayout(header_);
  header->setContentsMargins(16, 6, 16, 4);
  header->setSpacing(4);
  header->addWidget(title);
  header->addStretch();
  for (QLabel* label : {errorIcon_, errors_, warningIcon_, warnings_}) {
    header->addWidget(label);
    if (label == errors_) header->addSpacing(8);
  }
  none_->setProperty(kRole, u"secondary"_s);
  none_->setWordWrap(true);
  none_->setContentsMargins(16, 4, 16, 12);
  none_->setAlignment(Qt::AlignTop);

  list_ = new QVBoxLayout(content_);
  list_->setContentsMargins(0, 0, 0, 8);
  list_->setSpacing(0);
  area_->setWidgetResizable(true);
  area_->setFocusPolicy(Qt::NoFocus);
  area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area_->setWidget(content_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(header_);
  layout->addWidget(none_);
  layout->addWidget(area_, 1);
  showCounts();
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
  if (problems_.empty()) return {240, header + none_->heightForWidth(width())};
  const int most = qRound(kMostHeight * textScale());
  return {240, std::min(most, header + content_->heightForWidth(width() - kScrollBar))};
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
  const int side = qRound(16 * textScale());
  const auto show = [&](QLabel& sign,
                        QLabel& count,
                        const QString& name,
                        const QColor& color,
                        std::ptrdiff_t number,
                        const QString& meaning) {
    sign.setPixmap(icon(name, color).pixmap(QSize(side, side), devicePixelRatioF()));
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
       countedText(static_cast<int>(errors), tr("One error"), tr("%1 errors")));
  show(*warningIcon_,
       *warnings_,
       u"warning"_s,
       colors.warning,
       warnings,
       countedText(static_cast<int>(warnings), tr("One warning"), tr("%1 warnings")));
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
  std::vector<Problem> sorted = problems_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
    return a.severity > b.severity;
  });
  QList<QWidget*> order;
  for (const Problem& problem : sorted) {
    auto* row = new ProblemRow(problem, placeOf(problem), content_);
    connect(row, &ProblemRow::activated, this, [this, problem] { Q_EMIT activated(problem); });
    connect(row, &ProblemRow::fixRequested, this, [this, problem] {
      if (problem.fix) Q_EMIT fixRequested(*problem.fix);
    });
    list_->addWidget(row);
    row->show();
    order << row;
    if (auto* fix = row->findChild<QPushButton*>()) order << fix;
  }
  list_->addStretch();
  setTabOrderIn(*this, order);
}

void ProblemsPanel::changeEvent(QEvent* event) {
  QFrame::changeEvent(event);
  if (event->type() != QEvent::PaletteChange) return;
  showCounts();
  showProblems();
  Q_EMIT heightChanged();
}

}  // namespace lambda
