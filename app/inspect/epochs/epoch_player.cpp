#include "app/inspect/epochs/epoch_player.h"

#include <algorithm>
#include <utility>

#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/epochs/norm_strip.h"
#include "app/inspect/epochs/sequence_export.h"
#include "app/inspect/panels/panel_parts.h"
#include "widgets/export/export_folder.h"
#include "widgets/export/export_menu.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kSpeeds[] = {1, 2, 5, 10};  // epochs per second
constexpr int kFirstSpeed = 1;
constexpr int kProgressWidth = 96;
constexpr int kExportNiceness = 10;
constexpr double kLabelWidth = 140;  // "Epoch 100 of 300", so that nothing moves while it counts

QToolButton* makeButton(const QString& tip) {
  auto* button = new QToolButton;
  button->setProperty(kRole, u"quiet"_s);
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  return button;
}

}  // namespace

EpochPlayer::EpochPlayer(std::size_t budget, QWidget* parent)
    : QWidget(parent),
      reader_(budget),
      exportLane_(kExportNiceness),
      back_(makeButton(u"Previous epoch"_s)),
      play_(makeButton(u"Play"_s)),
      forward_(makeButton(u"Next epoch"_s)),
      slider_(new QSlider(Qt::Horizontal)),
      strip_(new NormStrip),
      label_(new QLabel),
      speed_(new QComboBox),
      exportButton_(new QPushButton),
      exportProgress_(new QProgressBar) {
  slider_->setAccessibleName(u"Epoch"_s);
  slider_->setPageStep(1);
  for (const int speed : kSpeeds) speed_->addItem(u"%1 per second"_s.arg(speed));
  speed_->setCurrentIndex(kFirstSpeed);
  speed_->setAccessibleName(u"Speed"_s);
  exportProgress_->setAccessibleName(u"Saving the sequence"_s);
  exportProgress_->setFormat(u"%v of %m"_s);
  exportProgress_->setFixedWidth(kProgressWidth);
  auto* track = new QVBoxLayout;
  track->setSpacing(0);
  track->addWidget(strip_);
  track->addWidget(slider_);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(12, 4, 12, 6);
  row->setSpacing(8);
  for (QToolButton* button : {back_, play_, forward_}) row->addWidget(button);
  row->addLayout(track, 1);
  row->addWidget(label_);
  row->addWidget(speed_);
  row->addWidget(exportProgress_);
  row->addWidget(exportButton_);
  row->addWidget(makeExportButton(*strip_, *strip_));

  connect(back_, &QToolButton::clicked, this, [this] { step(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { step(1); });
  connect(play_, &QToolButton::clicked, this, &EpochPlayer::togglePlaying);
  connect(slider_, &QSlider::valueChanged, this, &EpochPlayer::show);
  connect(strip_, &NormStrip::chosen, this, &EpochPlayer::setCurrent);
  connect(speed_, &QComboBox::currentIndexChanged, this, [this](int index) {
    timer_.setInterval(1000 / kSpeeds[index]);
  });
  connect(exportButton_, &QPushButton::clicked, this, [this] {
    isExporting_ ? cancelExport() : exportSequence();
  });
  timer_.setInterval(1000 / kSpeeds[kFirstSpeed]);
  connect(&timer_, &QTimer::timeout, this, &EpochPlayer::advance);
  connect(&reader_, &ProbeReader::opened, this, [this](const QString& problem) {
    problem_ = problem;
    isOpen_ = true;
    {
      const QSignalBlocker blocker(slider_);
      slider_->setRange(0, std::max(0, reader_.count() - 1));
      slider_->setValue(slider_->maximum());
    }
    strip_->setNorms(norms());
    show(slider_->value());
    if (!problem.isEmpty() && reader_.count() > 0) Q_EMIT epochsMissed(problem);
  });
  connect(&reader_,
          &ProbeReader::probeRead,
          this,
          [this](const std::shared_ptr<const ProbeSnapshot>& probe) {
            isReading_ = false;
            Q_EMIT probeShown(probe);
          });
  connect(&reader_, &ProbeReader::probeLost, this, [this](const QString& reason) {
    isReading_ = false;
    pause();
    Q_EMIT epochLost(
        u"Could not read epoch %1. %2"_s.arg(QString::number(reader_.epochAt(current())), reason));
  });
  updateParts();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { updateParts(); });
}

EpochPlayer::~EpochPlayer() = default;

void EpochPlayer::open(const std::filesystem::path& inspectionFolder,
                       std::vector<InspectableLayer> layers) {
  pause();
  isOpen_ = isReading_ = false;
  reader_.open(inspectionFolder, std::move(layers));
  strip_->setNorms({});
  updateParts();
}

void EpochPlayer::setLayer(const InspectableLayer& layer) {
  const bool isOther = layer != layer_;
  layer_ = layer;
  if (isOther) strip_->setNorms(norms());
  if (isOpen_) show(current());
}

int EpochPlayer::current() const {
  return slider_->value();
}

void EpochPlayer::setCurrent(int index) {
  slider_->setValue(index);
}

void EpochPlayer::step(int by) {
  pause();
  setCurrent(current() + by);
}

void EpochPlayer::pause() {
  timer_.stop();
  updateParts();
}

void EpochPlayer::togglePlaying() {
  if (isPlaying()) {
    pause();
    return;
  }
  if (reader_.count() < 2) return;
  if (current() == slider_->maximum()) setCurrent(0);
  timer_.start();
  updateParts();
}

void EpochPlayer::advance() {
  // Reading may take longer than a frame: every epoch is shown all the same.
  if (isReading_) return;
  if (current() == slider_->maximum()) {
    pause();
    return;
  }
  setCurrent(current() + 1);
}

void EpochPlayer::show(int index) {
  updateParts();
  if (reader_.count() == 0) {
    Q_EMIT probeShown(nullptr);
    return;
  }
  const std::shared_ptr<const ProbeSnapshot> probe = reader_.probe(index);
  isReading_ = probe == nullptr;
  if (probe) Q_EMIT probeShown(probe);
}

void EpochPlayer::updateParts() {
  const bool hasEpochs = reader_.count() > 0;
  for (QWidget* part : std::initializer_list<QWidget*>{back_, play_, forward_, slider_, speed_}) {
    part->setEnabled(hasEpochs);
  }
  exportProgress_->setVisible(isExporting_);
  exportButton_->setEnabled(hasEpochs || isExporting_);
  exportButton_->setText(isExporting_ ? u"Cancel"_s : u"Save sequence …"_s);
  exportButton_->setToolTip(
      isExporting_
          ? u"Stop saving the sequence"_s
          : u"Every epoch as a PNG picture, all of them as an animation (GIF) that plays as "
            "fast as here, and the norms as CSV"_s);
  back_->setIcon(icon(u"chevron-left"_s, *this));
  forward_->setIcon(icon(u"chevron-right"_s, *this));
  play_->setIcon(icon(isPlaying() ? u"pause"_s : u"play"_s, *this));
  play_->setToolTip(isPlaying() ? u"Pause (P)"_s : u"Play (P)"_s);
  strip_->setCurrent(current());
  label_->setFont(numberFont());
  label_->setMinimumWidth(qRound(kLabelWidth * textScale()));
  if (!hasEpochs) {
    label_->setText(isOpen_ ? u"No snapshots stored"_s : u"Reading the epochs …"_s);
    label_->setToolTip(problem_);
    return;
  }
  label_->setText(u"Epoch %1 of %2"_s.arg(reader_.epochAt(current()))
                      .arg(reader_.epochAt(reader_.count() - 1)));
  label_->setToolTip(problem_);
}

void EpochPlayer::exportSequence() {
  auto* dialog = new QFileDialog(this, u"Save the epochs into a folder"_s, exportFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  dialog->setAcceptMode(QFileDialog::AcceptOpen);
  dialog->setLabelText(QFileDialog::Accept, u"Save here"_s);
  connect(dialog, &QFileDialog::fileSelected, this, &EpochPlayer::exportTo);
  dialog->open();
}

void EpochPlayer::exportTo(const QString& folder) {
  if (reader_.count() == 0) return;
  const auto write = [sequence = Sequence{.layer = layer_,
                                          .layers = reader_.layers(),
                                          .snapshots = reader_.files(),
                                          .norms = norms(),
                                          .folder = folder,
                                          .colors = printColors(),
                                          .frameTime = timer_.intervalAsDuration()}](
                         QPromise<QString>& promise) { writeSequence(sequence, promise); };
  const auto end = [this, folder](const QString& problem) {
    isExporting_ = false;
    updateParts();
    Q_EMIT exported(folder, problem);
  };
  isExporting_ = true;
  exportProgress_->setRange(0, reader_.count());
  exportProgress_->setValue(0);
  export_.followNewest(exportLane_.run<QString>(write), end, end, [this](int done, int) {
    exportProgress_->setValue(done);
  });
  updateParts();
}

void EpochPlayer::cancelExport() {
  // The window does not wait for the picture under way.
  export_.cancel();
  isExporting_ = false;
  updateParts();
}

void EpochPlayer::hideEvent(QHideEvent* event) {
  pause();
  QWidget::hideEvent(event);
}

}  // namespace lambda
