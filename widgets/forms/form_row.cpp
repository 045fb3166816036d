#include "widgets/forms/form_row.h"

#include <algorithm>
#include <utility>

#include <QContextMenuEvent>
#include <QHBoxLayout>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include "widgets/forms/field_editor.h"
#include "widgets/forms/sentence.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr double kWidestEditor = 360;
constexpr double kVarySide = 24;  ///< Small: the button covers the end of a long label.
const QString kVaryText = u"Vary this in an experiment"_s;

QString text(const std::string& utf8) {
  return QString::fromStdString(utf8);
}

QString roleOf(Severity severity) {
  return severity == Severity::error ? u"error"_s : u"warning"_s;
}

}  // namespace

FormRow::FormRow(const FieldRow& row, QWidget* parent)
    : QWidget(parent),
      line_(new QHBoxLayout),
      label_(new QLabel(this)),
      note_(new QLabel(this)),
      editor_(FieldEditor::make(row, this)),
      below_(new QVBoxLayout) {
  line_->setSpacing(spacing::kGap);
  line_->addWidget(label_);
  line_->addWidget(editor_, 1);
  label_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
  note_->setWordWrap(true);
  note_->setProperty(kRole, u"secondary"_s);
  note_->hide();
  below_->setSpacing(4);
  auto* layout = makeBareLayout<QVBoxLayout>(this, 4);
  layout->addLayout(line_);
  layout->addWidget(note_);
  layout->addLayout(below_);

  label_->setBuddy(editor_->field());
  const auto fitToText = [this] { editor_->setMaximumWidth(qRound(kWidestEditor * textScale())); };
  fitToText();
  onFontChange(*this, fitToText);
  label_->installEventFilter(this);
  editor_->field()->installEventFilter(this);
  // A line of text has a context menu; "Reset to ..." is added to it.
  for (auto* edit : editor_->findChildren<QLineEdit*>()) edit->installEventFilter(this);
  connect(editor_, &FieldEditor::edited, this, [this](const FieldValue& value, const QString& g) {
    Q_EMIT edited(row_.path, value, g);
  });
  connect(editor_, &FieldEditor::finished, this, &FormRow::finished);
  connect(editor_, &FieldEditor::pickRequested, this, [this] { Q_EMIT pickRequested(row_.path); });
  connect(editor_, &FieldEditor::noted, this, [this](const QString& text) {
    note_->setText(text);
    note_->show();
    notedAt_ = row_.value;
  });
  show(row);
  onPaletteChange(*this, [this] {
    if (!problems_.empty()) showProblems();
    if (vary_) vary_->setIcon(icon(u"experiments"_s, colorsOf(*this).textSecondary));
  });
}

void FormRow::show(const FieldRow& row) {
  row_ = row;
  if (row.value != notedAt_) note_->hide();
  label_->setText(text(row.label));
  label_->setToolTip(toolTipOf(row));
  label_->setEnabled(row.enabled);
  editor_->setEnabled(row.enabled);
  editor_->show(row);
}

void FormRow::setLabelWidth(int width, int rowWidth) {
  const int full = editor_->fullWidth();
  const int needed = full > 0 ? full : editor_->minimumSizeHint().width();
  const int left = rowWidth - needed - spacing::kGap;
  const int least = labelWidthHint();
  const bool isAbove = left < least;
  line_->setDirection(isAbove ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  line_->setSpacing(isAbove ? 2 : spacing::kGap);
  if (isAbove) {
    // A fixed width would keep the form from becoming narrower.
    label_->setMinimumWidth(0);
    label_->setMaximumWidth(QWIDGETSIZE_MAX);
  } else {
    label_->setFixedWidth(std::max(least, std::min(width, left)));
  }
}

int FormRow::labelWidthHint() const {
  return label_->sizeHint().width();
}

void FormRow::setVariable(bool isVariable) {
  if (isVariable == (vary_ != nullptr)) return;
  if (!isVariable) {
    delete std::exchange(vary_, nullptr);
    return;
  }
  vary_ = new QToolButton(this);
  vary_->setObjectName(u"vary"_s);
  vary_->setProperty(kRole, u"quiet"_s);
  vary_->setIcon(icon(u"experiments"_s, colorsOf(*this).textSecondary));
  vary_->setToolTip(kVaryText);
  vary_->setAccessibleName(kVaryText);
  vary_->setFocusPolicy(Qt::NoFocus);
  vary_->hide();
  connect(vary_, &QToolButton::clicked, this, &FormRow::varyRequested);
}

void FormRow::setProblems(const std::vector<Problem>& problems) {
  if (problems == problems_) return;
  problems_ = problems;
  showProblems();
}

void FormRow::showProblems() {
  for (QWidget* line : problemLines_) {
    below_->removeWidget(line);
    line->hide();
    line->deleteLater();
  }
  problemLines_.clear();
  for (const Problem& problem : problems_) {
    problemLines_.push_back(makeProblem(problem));
    below_->addWidget(problemLines_.back());
    problemLines_.back()->show();
  }
  QWidget* field = editor_->field();
  const QString mark = problems_.empty() ? QString()
                                         : (hasErrors(problems_) ? roleOf(Severity::error)
                                                                 : roleOf(Severity::warning));
  field->setProperty("problem", mark);
  field->style()->unpolish(field);
  field->style()->polish(field);
  field->setAccessibleDescription(problems_.empty() ? QString() : sentence(problems_.front().text));
}

QWidget* FormRow::makeProblem(const Problem& problem) {
  const Colors& colors = colorsOf(*this);
  const bool isError = problem.severity == Severity::error;
  auto* line = new QWidget(this);
  auto* layout = new QHBoxLayout(line);
  layout->setContentsMargins(0, 0, 0, 4);
  layout->setSpacing(6);
  auto* sign = new QLabel(line);
  sign->setPixmap(icon(isError ? u"error"_s : u"warning"_s, isError ? colors.error : colors.warning)
                      .pixmap(iconSizeForText(), devicePixelRatioF()));
  layout->addWidget(sign, 0, Qt::AlignTop);
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  layout->addLayout(column, 1);
  auto* words = new QLabel(sentence(problem.text), line);
  words->setWordWrap(true);
  words->setProperty(kRole, roleOf(problem.severity));
  words->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column->addWidget(words);
  if (problem.fix) {
    auto* button = new QPushButton(text(problem.fix->label), line);
    button->setObjectName(u"fix"_s);
    connect(button, &QPushButton::clicked, this, [this, fix = *problem.fix] {
      Q_EMIT fixRequested(fix);
    });
    column->addWidget(button, 0, Qt::AlignLeft);
  }
  return line;
}

void FormRow::popUpMenu(const QPoint& at) {
  QMenu* menu = nullptr;
  if (auto* edit = qobject_cast<QLineEdit*>(editor_->field())) {
    menu = edit->createStandardContextMenu();
    menu->addSeparator();
  } else {
    menu = new QMenu(this);
  }
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QString initial = text(textOf(row_, row_.initial));
  QAction* reset =
      menu->addAction(initial.isEmpty() ? u"Reset to empty"_s : u"Reset to %1"_s.arg(initial));
  reset->setEnabled(row_.enabled && (row_.mixed || row_.value != row_.initial));
  connect(reset, &QAction::triggered, this, [this] { Q_EMIT edited(row_.path, row_.initial, {}); });
  if (vary_)
    connect(menu->addAction(kVaryText), &QAction::triggered, this, &FormRow::varyRequested);
  menu->popup(at);
}

void FormRow::contextMenuEvent(QContextMenuEvent* event) {
  popUpMenu(event->globalPos());
}

bool FormRow::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    Q_EMIT hintRequested(static_cast<QHelpEvent*>(event)->globalPos());
    return true;
  }
  if (event->type() != QEvent::ContextMenu) return QWidget::eventFilter(watched, event);
  popUpMenu(static_cast<QContextMenuEvent*>(event)->globalPos());
  return true;
}

void FormRow::enterEvent(QEnterEvent* event) {
  QWidget::enterEvent(event);
  if (!vary_ || !row_.enabled) return;
  const int side = qRound(kVarySide * textScale());
  QRect place(QPoint(), QSize(side, side));
  place.moveCenter(label_->geometry().center());
  place.moveRight(label_->geometry().right());
  vary_->setGeometry(place);
  vary_->show();
  vary_->raise();
}

void FormRow::leaveEvent(QEvent* event) {
  QWidget::leaveEvent(event);
  if (vary_) vary_->hide();
}

}  // namespace lambda
