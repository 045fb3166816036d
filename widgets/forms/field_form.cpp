#include "widgets/forms/field_form.h"

#include <algorithm>
#include <map>

#include <QApplication>
#include <QFrame>
#include <QLabel>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>

#include "widgets/forms/field_editor.h"
#include "widgets/forms/form_row.h"
#include "widgets/forms/sentence.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/tab_order.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kHelpLines = 6;
constexpr double kWidestLabel = 0.45;  ///< As a share of the form's width.

/// Whether a problem at `path` concerns the value that contains the field at `row`.
bool holds(const std::string& path, const std::string& row) {
  return row.size() > path.size() && row.starts_with(path) &&
         (row[path.size()] == '.' || row[path.size()] == '[');
}

QString rangeText(const FieldRow& row) {
  const bool isNumber =
      std::holds_alternative<std::int64_t>(row.value) || std::holds_alternative<double>(row.value);
  if (!isNumber || row.isUnsigned || row.max > 1e15) return {};
  FieldRow plain = row;
  plain.zeroText.clear();
  const auto asText = [&](double bound) {
    if (std::holds_alternative<double>(row.value)) return textOf(plain, bound);
    return textOf(plain, static_cast<std::int64_t>(bound));
  };
  return QString::fromStdString(asText(row.min) + " – " + asText(row.max));
}

}  // namespace

/// The widgets of a form. Rows are identified by their path, headings by their order.
class FieldForm::Rows {
 public:
  explicit Rows(FieldForm& form)
      : form_(form),
        area_(new QScrollArea(&form)),
        content_(new QWidget),
        help_(new QLabel(&form)) {
    auto* outer = makeBareLayout<QVBoxLayout>(&form, 0);
    area_->setWidgetResizable(true);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setFocusPolicy(Qt::NoFocus);
    area_->setWidget(content_);
    layout_ = new QVBoxLayout(content_);
    layout_->setContentsMargins(
        spacing::kMargin, spacing::kGap, spacing::kMargin, spacing::kMargin);
    layout_->setSpacing(spacing::kGap);
    outer->addWidget(area_, 1);
    help_->setWordWrap(true);
    help_->setProperty(kRole, u"hint"_s);
    help_->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kMargin, spacing::kGap);
    help_->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    outer->addWidget(help_);
    help_->hide();
    fitHelpToText();
    onFontChangeOfParts(form, [this] {
      fitHelpToText();
      alignLabels();
    });
    QObject::connect(qApp, &QApplication::focusChanged, &form, [this](QWidget*, QWidget* now) {
      showHelp(now);
    });
  }

  void setSections(const std::vector<FormSection>& sections) {
    std::vector<std::string> paths;
    std::vector<QString> titles;
    for (const FormSection& section : sections) {
      titles.push_back(section.title);
      for (const FieldRow& row : section.rows) paths.push_back(row.path);
      paths.emplace_back();
    }
    const bool isSameOrder = paths == paths_ && titles == titles_ && showsSameKinds(sections);
    paths_ = paths;
    titles_ = titles;
    if (isSameOrder) {
      for (const FormSection& section : sections) {
        for (const FieldRow& row : section.rows) rows_.at(row.path)->show(row);
      }
    } else {
      rebuild(sections);
    }
    placeProblems();
    alignLabels();
    showHelp(QApplication::focusWidget());
    form_.updateGeometry();
  }

  void setProblems(const std::vector<Problem>& problems) {
    problems_ = problems;
    placeProblems();
    form_.updateGeometry();
  }

  QSize sizeHint() const {
    const int help = help_->isHidden() ? 0 : help_->height();
    return {area_->sizeHint().width(), content_->sizeHint().height() + help};
  }

  void setEffects(const std::function<QString(const FieldRow&)>& effects) { effects_ = effects; }

  void setVariable(bool isVariable) {
    isVariable_ = isVariable;
    for (const auto& [path, row] : rows_) row->setVariable(isVariable);
  }

  void setHelpVisible(bool visible) {
    hasHelp_ = visible;
    showHelp(QApplication::focusWidget());
  }

  FormRow* find(const std::string& path) const {
    const auto found = rows_.find(path);
    return found == rows_.end() ? nullptr : found->second;
  }

  bool focus(const std::string& path) {
    FormRow* row = find(path);
    if (!row) return false;
    area_->ensureWidgetVisible(row, 0, 2 * spacing::kGap);
    row->editor()->field()->setFocus(Qt::OtherFocusReason);
    return true;
  }

  void alignLabels() {
    int width = 0;
    for (const auto& [path, row] : rows_) width = std::max(width, row->labelWidthHint());
    width = std::min(width, static_cast<int>(form_.width() * kWidestLabel));
    const int rowWidth = form_.width() - 4 * spacing::kGap;
    for (const auto& [path, row] : rows_) row->setLabelWidth(width, rowWidth);
  }

 private:
  /// Always as high: the form must not jump while somebody tabs through it.
  void fitHelpToText() {
    help_->setFixedHeight(kHelpLines * QFontMetrics(smallFont()).lineSpacing() + 2 * spacing::kGap);
  }

  bool showsSameKinds(const std::vector<FormSection>& sections) const {
    for (const FormSection& section : sections) {
      for (const FieldRow& row : section.rows) {
        const FormRow* shown = find(row.path);
        if (!shown || !FieldEditor::isSameKind(shown->row(), row)) return false;
      }
    }
    return true;
  }

  /// Reorders the rows; those that stay keep their widgets, the focus and the text.
  void rebuild(const std::vector<FormSection>& sections) {
    content_->setUpdatesEnabled(false);
    std::map<std::string, FormRow*> old;
    old.swap(rows_);
    for (QLabel* heading : headings_) {
      heading->hide();
      heading->deleteLater();
    }
    headings_.clear();
    while (QLayoutItem* item = layout_->takeAt(0)) delete item;
    QList<QWidget*> fields;
    for (const FormSection& section : sections) {
      addHeading(section.title);
      for (const FieldRow& row : section.rows) {
        FormRow* widget = takeOrMake(old, row);
        rows_[row.path] = widget;
        layout_->addWidget(widget);
        fields << widget->editor()->field();
      }
    }
    // With a factor, since rows with their label above the editor would take surplus height too.
    layout_->addStretch(1);
    setTabOrderIn(form_, fields);
    for (const auto& [path, row] : old) {
      row->hide();
      row->deleteLater();
    }
    content_->setUpdatesEnabled(true);
  }

  FormRow* takeOrMake(std::map<std::string, FormRow*>& old, const FieldRow& row) {
    const auto found = old.find(row.path);
    if (found != old.end() && FieldEditor::isSameKind(found->second->row(), row)) {
      FormRow* widget = found->second;
      old.erase(found);
      widget->show(row);
      return widget;
    }
    auto* widget = new FormRow(row, content_);
    QObject::connect(widget, &FormRow::edited, &form_, &FieldForm::edited);
    QObject::connect(widget, &FormRow::finished, &form_, &FieldForm::finished);
    QObject::connect(widget, &FormRow::fixRequested, &form_, &FieldForm::fixRequested);
    QObject::connect(widget, &FormRow::pickRequested, &form_, &FieldForm::pickRequested);
    widget->setVariable(isVariable_);
    QObject::connect(widget, &FormRow::varyRequested, &form_, [this, widget] {
      Q_EMIT form_.varyRequested(widget->row());
    });
    QObject::connect(widget, &FormRow::hintRequested, &form_, [this, widget](const QPoint& at) {
      QToolTip::showText(at, u"<p>"_s + helpOf(widget->row()).toHtmlEscaped() + u"</p>"_s, widget);
    });
    widget->QWidget::show();
    return widget;
  }

  void addHeading(const QString& title) {
    if (title.isEmpty()) return;
    if (layout_->count() > 0) layout_->addSpacing(spacing::kGap);
    auto* heading = new QLabel(title, content_);
    QFont font = bodyFont();
    font.setWeight(QFont::DemiBold);
    heading->setFont(font);
    heading->show();
    layout_->addWidget(heading);
    headings_.push_back(heading);
  }

  void placeProblems() {
    std::map<std::string, std::vector<Problem>> byRow;
    for (const Problem& problem : problems_) {
      const std::string row = rowFor(problem.path);
      if (!row.empty()) byRow[row].push_back(problem);
    }
    for (const auto& [path, row] : rows_) row->setProblems(byRow[path]);
  }

  /// The row at a problem's path, or the first row of the value at that path; else empty.
  std::string rowFor(const std::string& path) const {
    if (rows_.contains(path)) return path;
    const auto found = std::find_if(
        paths_.begin(), paths_.end(), [&](const std::string& row) { return holds(path, row); });
    return found == paths_.end() ? std::string() : *found;
  }

  QString helpOf(const FieldRow& row) const {
    QString text = hintOf(row);
    const QString range = rangeText(row);
    if (!range.isEmpty()) text += u" Range: %1."_s.arg(range);
    const QString effect = effects_ ? effects_(row) : QString();
    return effect.isEmpty() ? text : text + u' ' + effect;
  }

  void showHelp(QWidget* focused) {
    for (const auto& [path, row] : rows_) {
      if (!focused || !row->isAncestorOf(focused)) continue;
      help_->setText(hasHelp_ ? helpOf(row->row()) : QString());
      help_->setVisible(hasHelp_);
      return;
    }
    help_->clear();
    help_->hide();
  }

  FieldForm& form_;
  QScrollArea* area_;
  QWidget* content_;
  QVBoxLayout* layout_;
  QLabel* help_;
  bool hasHelp_ = true;
  bool isVariable_ = false;
  std::function<QString(const FieldRow&)> effects_;
  std::map<std::string, FormRow*> rows_;
  std::vector<QLabel*> headings_;
  std::vector<std::string> paths_;  ///< In the form's order; an empty path ends each section.
  std::vector<QString> titles_;
  std::vector<Problem> problems_;
};

FieldForm::FieldForm(QWidget* parent) : QWidget(parent), rows_(std::make_unique<Rows>(*this)) {}

FieldForm::~FieldForm() {
  // The focus moves again when the rows are removed.
  disconnect(qApp, nullptr, this, nullptr);
}

void FieldForm::setSections(const std::vector<FormSection>& sections) {
  rows_->setSections(sections);
}

void FieldForm::setProblems(const std::vector<Problem>& problems) {
  rows_->setProblems(problems);
}

void FieldForm::setVariable(bool isVariable) {
  rows_->setVariable(isVariable);
}

void FieldForm::setHelpVisible(bool visible) {
  rows_->setHelpVisible(visible);
}

void FieldForm::setEffects(const std::function<QString(const FieldRow&)>& effects) {
  rows_->setEffects(effects);
}

QSize FieldForm::sizeHint() const {
  return rows_->sizeHint();
}

bool FieldForm::focusField(const std::string& path) {
  return rows_->focus(path);
}

QWidget* FieldForm::editorOf(const std::string& path) const {
  const FormRow* row = rows_->find(path);
  return row ? row->editor()->field() : nullptr;
}

void FieldForm::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  rows_->alignLabels();
}

}  // namespace lambda
