#include "app/runs/panels/details/run_annotations.h"

#include <string>
#include <utility>
#include <vector>

#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Typing counts as ended after this time without a key.
constexpr int kSaveMs = 800;
constexpr int kNotesHeight = 120;

}  // namespace

RunAnnotations::RunAnnotations(RunLibrary& library, const RunTableModel& runs, QWidget* parent)
    : QWidget(parent),
      library_(library),
      runs_(runs),
      tags_(new QLineEdit(this)),
      notes_(new QPlainTextEdit(this)),
      note_(new QLabel(this)) {
  auto* heading = new QLabel(u"Tags and notes"_s, this);
  heading->setProperty(kRole, u"heading"_s);
  tags_->setPlaceholderText(u"Tags, separated by commas"_s);
  tags_->setAccessibleName(u"Tags"_s);
  notes_->setPlaceholderText(u"What you want to remember of this run"_s);
  notes_->setAccessibleName(u"Notes"_s);
  notes_->setTabChangesFocus(true);
  updateSizes();
  note_->setText(
      u"While the run is trained its record belongs to that process. Write when it has ended."_s);
  note_->setProperty(kRole, u"secondary"_s);
  note_->setWordWrap(true);
  auto* column = makeBareLayout<QVBoxLayout>(this, 6);
  for (QWidget* widget : std::initializer_list<QWidget*>{heading, tags_, notes_, note_}) {
    column->addWidget(widget);
  }
  saveTimer_.setSingleShot(true);
  saveTimer_.setInterval(kSaveMs);
  connect(&saveTimer_, &QTimer::timeout, this, &RunAnnotations::save);
  connect(tags_, &QLineEdit::textEdited, this, &RunAnnotations::edited);
  connect(tags_, &QLineEdit::editingFinished, this, &RunAnnotations::save);
  connect(notes_, &QPlainTextEdit::textChanged, this, [this] {
    if (!isFilling_) edited();
  });
  onFontChange(*this, [this] { updateSizes(); });
}

RunAnnotations::~RunAnnotations() {
  save();
}

void RunAnnotations::showRun(const RunRow& row) {
  if (run_ != row.run.path) save();
  run_ = row.run.path;
  setVisible(row.hasRecord());
  const bool isFree = canChange(row);
  tags_->setEnabled(isFree);
  notes_->setEnabled(isFree);
  note_->setVisible(!isFree);
  if (!edited_.empty()) return;
  isFilling_ = true;
  if (tagsFrom(tags_->text()) != row.run.record.tags) tags_->setText(tagsOf(row).join(u", "_s));
  const QString notes = QString::fromStdString(row.run.record.notes);
  if (notes_->toPlainText() != notes) notes_->setPlainText(notes);
  isFilling_ = false;
}

void RunAnnotations::updateSizes() {
  notes_->setFixedHeight(qRound(kNotesHeight * textScale()));
}

void RunAnnotations::editTags() {
  tags_->setFocus();
  tags_->selectAll();
}

void RunAnnotations::editNotes() {
  notes_->setFocus();
}

void RunAnnotations::edited() {
  edited_ = run_;
  saveTimer_.start();
}

void RunAnnotations::save() {
  saveTimer_.stop();
  const std::filesystem::path path = std::exchange(edited_, {});
  const int index = runs_.indexOf(path);
  if (index < 0 || !canChange(runs_.row(index))) return;
  const RunRecord& record = runs_.row(index).run.record;
  const std::vector<std::string> tags = tagsFrom(tags_->text());
  const std::string notes = notes_->toPlainText().toStdString();
  if (tags != record.tags) library_.setTags(path, tags);
  if (notes != record.notes) library_.setNotes(path, notes);
}

}  // namespace lambda
