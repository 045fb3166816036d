#include "widgets/forms/text_editor.h"

#include <bit>

#include <QHBoxLayout>
#include <QLineEdit>
#include <QRandomGenerator>
#include <QRegularExpressionValidator>
#include <QToolButton>

#include "widgets/forms/sentence.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr quint64 kLargestDrawnSeed = 1000000;

/// Keeps the cursor's place when the text is the same.
void showText(QLineEdit& line, const FieldRow& row, const QString& text) {
  line.setPlaceholderText(row.mixed ? u"—"_s : QString());
  const QString shown = row.mixed ? QString() : text;
  if (line.text() != shown) {
    const int position = line.cursorPosition();
    line.setText(shown);
    line.setCursorPosition(line.hasFocus() ? position : 0);
  }
  line.setAccessibleName(QString::fromStdString(row.label));
  line.setToolTip(toolTipOf(row));
}

}  // namespace

TextEditor::TextEditor(QWidget* parent) : FieldEditor(parent), line_(new QLineEdit(this)) {
  auto* layout = makeBareLayout<QHBoxLayout>(this);
  layout->addWidget(line_);
  setFocusProxy(line_);
  connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
    editInGesture(text.toStdString());
  });
  connect(line_, &QLineEdit::editingFinished, this, [this] { endGesture(); });
}

void TextEditor::show(const FieldRow& row) {
  showText(*line_, row, QString::fromStdString(std::get<std::string>(row.value)));
}

QWidget* TextEditor::field() {
  return line_;
}

SeedEditor::SeedEditor(QWidget* parent)
    : FieldEditor(parent), line_(new QLineEdit(this)), dice_(new QToolButton(this)) {
  auto* layout = makeBareLayout<QHBoxLayout>(this, 4);
  layout->addWidget(line_, 1);
  layout->addWidget(dice_);
  line_->setFont(numberFont());
  line_->setValidator(new QRegularExpressionValidator(QRegularExpression(u"[0-9]{0,20}"_s), line_));
  dice_->setProperty(kRole, u"quiet"_s);
  dice_->setToolTip(u"Draw another seed"_s);
  dice_->setAccessibleName(dice_->toolTip());
  showIcon();
  setFocusProxy(line_);
  connect(line_, &QLineEdit::textEdited, this, [this](const QString& text) {
    bool isNumber = false;
    const quint64 seed = text.toULongLong(&isNumber);
    if (!isNumber) return;
    shown_ = std::bit_cast<std::int64_t>(seed);
    editInGesture(shown_);
  });
  connect(line_, &QLineEdit::editingFinished, this, [this] { endGesture(); });
  connect(dice_, &QToolButton::clicked, this, [this] {
    const quint64 seed = QRandomGenerator::global()->generate64() % kLargestDrawnSeed;
    editOnce(std::bit_cast<std::int64_t>(seed));
  });
  onPaletteChange(*this, [this] { showIcon(); });
}

void SeedEditor::show(const FieldRow& row) {
  const std::int64_t seed = std::get<std::int64_t>(row.value);
  const bool isTyping = line_->hasFocus() && line_->isModified();
  if (isTyping && seed == shown_) return;
  shown_ = seed;
  showText(*line_, row, QString::fromStdString(textOf(row, row.value)));
}

QWidget* SeedEditor::field() {
  return line_;
}

void SeedEditor::showIcon() {
  dice_->setIcon(icon(u"dice"_s, *this));
}

}  // namespace lambda
