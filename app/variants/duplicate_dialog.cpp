#include "app/variants/duplicate_dialog.h"

#include <algorithm>

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QVBoxLayout>

#include "engine/values/architecture/cost.h"
#include "engine/values/config/kinds.h"
#include "engine/values/config/validate.h"
#include "widgets/forms/sentence.h"
#include "widgets/network/mixers/mixer_looks.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kSize(640, 560);
constexpr int kChipSide = 18;

QPixmap chipOf(const Mixer& mixer, const Colors& colors, double pixelRatio) {
  const double side = kChipSide * textScale();
  QPixmap pixmap((QSizeF(side, side) * pixelRatio).toSize());
  pixmap.setDevicePixelRatio(pixelRatio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  const MixerColors chip = colorsOfMixer(mixer, colors);
  const QRectF box(0, 0, side, side);
  painter.setPen(Qt::NoPen);
  painter.setBrush(chip.ground);
  painter.drawRoundedRect(box, 4, 4);
  painter.setPen(chip.ink);
  painter.setFont(smallFont());
  painter.drawText(box, Qt::AlignCenter, chipLetter(mixer));
  return pixmap;
}

QString capitalized(QString text) {
  text[0] = text[0].toUpper();
  return text;
}

}  // namespace

DuplicateDialog::DuplicateDialog(const RunConfig& config, const QString& name, QWidget* parent)
    : QDialog(parent),
      config_(config),
      name_(name.toStdString()),
      replaceable_(replaceableMixers(config.architecture)),
      blocks_(new QComboBox(this)),
      open_(new QPushButton(u"Open in Train"_s, this)),
      queue_(new QPushButton(this)) {
  setWindowTitle(u"Duplicate %1 with another mixer"_s.arg(name));
  auto* text = new QLabel(
      u"Seed, data, split, data order and recipe stay equal, so that the runs compare the mixers "
      "alone. Options that do not fit a block are adjusted."_s,
      this);
  text->setWordWrap(true);
  text->setProperty(kRole, u"secondary"_s);
  for (const ReplaceableMixers& choice : replaceable_) blocks_->addItem(choice.text);
  blocks_->setAccessibleName(u"Replace"_s);
  auto* form = new QFormLayout;
  form->addRow(u"Replace"_s, blocks_);
  open_->setToolTip(u"Go to data and recipe of the new run"_s);
  queue_->setProperty(kRole, u"primary"_s);
  auto* cancel = new QPushButton(u"Cancel"_s, this);
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  for (QPushButton* button : {cancel, open_, queue_}) buttons->addWidget(button);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 16, 16, 16);
  layout->setSpacing(12);
  layout->addWidget(text);
  layout->addLayout(form);
  layout->addWidget(makeKinds(), 1);
  layout->addLayout(buttons);
  resize((kSize * textScale()).boundedTo(screen()->availableSize()));
  connect(blocks_, &QComboBox::currentIndexChanged, this, &DuplicateDialog::updateKinds);
  connect(cancel, &QPushButton::clicked, this, &QWidget::close);
  connect(open_, &QPushButton::clicked, this, [this] {
    const std::vector<RunConfig> configs = chosen();
    close();
    if (!configs.empty()) Q_EMIT openRequested(configs.front());
  });
  connect(queue_, &QPushButton::clicked, this, [this] {
    const std::vector<RunConfig> configs = chosen();
    close();
    Q_EMIT queueRequested(configs);
  });
  updateKinds();
  updateIcons();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { updateIcons(); });
}

QWidget* DuplicateDialog::makeKinds() {
  auto* list = new QWidget;
  auto* grid = new QGridLayout(list);
  grid->setContentsMargins(16, 12, 16, 12);
  grid->setHorizontalSpacing(24);
  grid->setColumnStretch(1, 1);
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    auto* box = new QCheckBox(capitalized(kindPlural(kind)), list);
    auto* note = new QLabel(list);
    note->setWordWrap(true);
    note->setTextFormat(Qt::PlainText);
    note->setProperty(kRole, u"hint"_s);
    const int line = static_cast<int>(kind);
    grid->addWidget(box, line, 0);
    grid->addWidget(note, line, 1);
    connect(box, &QCheckBox::toggled, this, &DuplicateDialog::updateButtons);
    kinds_.push_back({box, note, {}});
  }
  grid->setRowStretch(static_cast<int>(kMixerKindCount), 1);
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setAccessibleName(u"By"_s);
  area->setWidget(list);
  return area;
}

/// A kind is offered where it changes the network and the run can be trained with it.
void DuplicateDialog::updateKinds() {
  const int index = blocks_->currentIndex();
  const Selection blocks =
      index < 0 ? Selection{} : replaceable_[static_cast<std::size_t>(index)].blocks;
  for (std::size_t kind = 0; kind < kMixerKindCount; ++kind) {
    Kind& shown = kinds_[kind];
    shown.config = withMixers(config_, name_, blocks, kind);
    RunConfig unnamed = shown.config;
    unnamed.name = config_.name;
    unnamed.architecture.name = config_.architecture.name;
    const std::vector<Problem> problems = validate(shown.config);
    const auto error = std::ranges::find(problems, Severity::error, &Problem::severity);
    const NetworkCost cost = costOf(shown.config.architecture);
    QString note = u"%1 parameters, %2 FLOPs"_s.arg(shortCountText(cost.parameters),
                                                    shortCountText(cost.flops));
    if (error != problems.end()) note = sentence(error->text);
    const bool isSame = unnamed == config_;
    if (isSame) note = u"The run has them"_s;
    shown.note->setText(note);
    shown.box->setEnabled(!isSame && error == problems.end());
    if (!shown.box->isEnabled()) shown.box->setChecked(false);
    shown.box->setAccessibleDescription(note);
  }
  updateButtons();
}

void DuplicateDialog::updateIcons() {
  const int side = qRound(kChipSide * textScale());
  for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
    QCheckBox& box = *kinds_[kind].box;
    box.setIconSize({side, side});
    box.setIcon(chipOf(valueOfKind<Mixer>(kind), colorsOf(*this), devicePixelRatioF()));
  }
}

void DuplicateDialog::updateButtons() {
  const auto count = static_cast<qint64>(chosen().size());
  open_->setEnabled(count == 1);
  queue_->setEnabled(count > 0);
  queue_->setText(count > 1 ? u"Add %1 to the queue"_s.arg(countedText(count, u"run"_s))
                            : u"Add to the queue"_s);
}

std::vector<RunConfig> DuplicateDialog::chosen() const {
  std::vector<RunConfig> configs;
  for (const Kind& kind : kinds_) {
    if (kind.box->isChecked()) configs.push_back(kind.config);
  }
  return configs;
}

}  // namespace lambda
