#include "app/remote/remote_dialog.h"

#include <algorithm>

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/remote/remote_runs.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(620, 460);

QLabel* makeText(QWidget* parent, const QString& text, const QString& role) {
  auto* label = new QLabel(text, parent);
  label->setProperty(kRole, role);
  label->setTextFormat(Qt::PlainText);
  label->setWordWrap(true);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

QIcon iconOf(RemoteState state, const Colors& colors) {
  switch (state) {
    case RemoteState::connected:
      return icon(u"check"_s, colors.success);
    case RemoteState::connecting:
      return icon(u"follow"_s, colors.textSecondary);
    case RemoteState::lost:
      return icon(u"warning"_s, colors.warning);
    case RemoteState::impossible:
      return icon(u"error"_s, colors.error);
  }
  return {};
}

}  // namespace

RemoteDialog::RemoteDialog(RemoteRuns& remote, QWidget* parent) : QDialog(parent), remote_(remote) {
  setWindowTitle(u"Remote runs"_s);
  resize(kSize * textScale());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(
      spacing::kMargin, spacing::kMargin, spacing::kMargin, spacing::kMargin);
  column->setSpacing(spacing::kWide);
  column->addWidget(makeText(
      this,
      u"Runs of another machine appear in Runs and Train as those of this one. The connection is "
      "your own ssh: keys and passwords stay with it. Lambda Studio must be installed there too."_s,
      u"secondary"_s));
  places_ = new QListWidget(this);
  places_->setAccessibleName(u"Followed folders"_s);
  places_->setWordWrap(true);
  column->addWidget(places_, 1);
  none_ = makeText(this, u"No folder is followed yet."_s, u"secondary"_s);
  column->addWidget(none_, 1, Qt::AlignTop);
  auto* buttons = new QHBoxLayout;
  connect_ = new QPushButton(u"Connect now"_s, this);
  remove_ = new QPushButton(u"Stop following"_s, this);
  remove_->setToolTip(u"What was copied stays in the library as it is"_s);
  buttons->addWidget(connect_);
  buttons->addWidget(remove_);
  buttons->addStretch();
  column->addLayout(buttons);
  column->addWidget(makeForm());
  auto* box = new QDialogButtonBox(QDialogButtonBox::Close, this);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  const auto onCurrent = [this](auto call) {
    return [this, call] {
      const int row = places_->currentRow();
      const std::vector<RemotePlace> all = remote_.places();
      if (row >= 0 && row < static_cast<int>(all.size())) {
        (remote_.*call)(all[static_cast<std::size_t>(row)]);
      }
    };
  };
  connect(connect_, &QPushButton::clicked, this, onCurrent(&RemoteRuns::reconnect));
  connect(remove_, &QPushButton::clicked, this, onCurrent(&RemoteRuns::remove));
  connect(places_, &QListWidget::currentRowChanged, this, &RemoteDialog::updateButtons);
  connect(&remote_, &RemoteRuns::changed, this, &RemoteDialog::showPlaces);
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { showPlaces(); });
  showPlaces();
}

QWidget* RemoteDialog::makeForm() {
  auto* card = new QFrame(this);
  card->setProperty(kRole, u"card"_s);
  auto* form = new QFormLayout(card);
  const auto addLine = [&](const QString& name, const QString& placeholder) {
    auto* line = new QLineEdit(card);
    line->setPlaceholderText(placeholder);
    form->addRow(name, line);
    connect(line, &QLineEdit::returnPressed, this, &RemoteDialog::follow);
    return line;
  };
  host_ = addLine(u"Machine"_s, u"cluster, or me@gpu.example.org"_s);
  folder_ = addLine(u"Folder of runs there"_s, u"runs"_s);
  program_ = addLine(u"Command there"_s, {});
  program_->setText(RemotePlace().program);
  problem_ = makeText(card, {}, u"error"_s);
  problem_->hide();
  form->addRow(problem_);
  auto* add = new QPushButton(u"Follow"_s, card);
  add->setProperty(kRole, u"primary"_s);
  add->setAutoDefault(false);
  auto* row = new QHBoxLayout;
  row->addStretch();
  row->addWidget(add);
  form->addRow(row);
  connect(add, &QPushButton::clicked, this, &RemoteDialog::follow);
  return card;
}

void RemoteDialog::follow() {
  const QString problem =
      remote_.add({host_->text().trimmed(), folder_->text().trimmed(), program_->text().trimmed()});
  problem_->setText(problem);
  problem_->setVisible(!problem.isEmpty());
  if (!problem.isEmpty()) return;
  host_->clear();
  folder_->clear();
  places_->setCurrentRow(places_->count() - 1);
}

void RemoteDialog::showPlaces() {
  const int row = places_->currentRow();
  const Colors& colors = colorsOf(*this);
  places_->clear();
  for (const RemotePlace& place : remote_.places()) {
    places_->addItem(new QListWidgetItem(iconOf(remote_.stateOf(place), colors),
                                         nameOf(place) + u'\n' + remote_.stateTextOf(place)));
  }
  places_->setCurrentRow(std::clamp(row, std::min(0, places_->count() - 1), places_->count() - 1));
  places_->setVisible(places_->count() > 0);
  none_->setVisible(places_->count() == 0);
  updateButtons();
}

void RemoteDialog::updateButtons() {
  const int row = places_->currentRow();
  const std::vector<RemotePlace> all = remote_.places();
  const bool isChosen = row >= 0 && row < static_cast<int>(all.size());
  remove_->setEnabled(isChosen);
  const RemoteState state =
      isChosen ? remote_.stateOf(all[static_cast<std::size_t>(row)]) : RemoteState::connecting;
  connect_->setEnabled(state == RemoteState::lost || state == RemoteState::impossible);
}

}  // namespace lambda
