#include "app/train/weights/weights_panel.h"

#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/train/caption.h"
#include "app/train/weights/transfer_dialog.h"
#include "widgets/text/path_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString countText(const WeightTransfer& outcome) {
  const auto all = outcome.taken.size() + outcome.missing.size();
  QString text = u"Takes %1 of the network's %2 tensors."_s.arg(outcome.taken.size()).arg(all);
  if (outcome.missing.size() == 1) text += u" 1 tensor keeps its initial values."_s;
  if (outcome.missing.size() > 1) {
    text += u" %1 tensors keep their initial values."_s.arg(outcome.missing.size());
  }
  if (outcome.left.size() == 1) text += u" 1 tensor of the file is left out."_s;
  if (outcome.left.size() > 1) {
    text += u" %1 tensors of the file are left out."_s.arg(outcome.left.size());
  }
  return text;
}

}  // namespace

WeightsPanel::WeightsPanel(QWidget* parent)
    : QWidget(parent),
      caption_(makeCaption(this, u"Weights at the start"_s)),
      name_(new ElidedLabel(this)),
      choose_(new QToolButton(this)),
      remove_(new QToolButton(this)),
      text_(new QLabel(this)),
      details_(new QToolButton(this)) {
  choose_->setObjectName(u"chooseWeights"_s);
  choose_->setProperty(kRole, u"quiet"_s);
  choose_->setToolTip(
      u"Weights of a run, or of a ResNet that torchvision or timm saved: fine-tuning"_s);
  remove_->setObjectName(u"removeWeights"_s);
  remove_->setText(u"Remove"_s);
  remove_->setToolTip(u"Draw the weights from the seed"_s);
  remove_->setProperty(kRole, u"quiet"_s);
  name_->setObjectName(u"weights"_s);
  text_->setObjectName(u"weightsOutcome"_s);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  details_->setObjectName(u"weightsDetails"_s);
  details_->setText(u"Tensors"_s);
  details_->setToolTip(u"Show which tensors are taken and which are left out, and why"_s);
  details_->setProperty(kRole, u"quiet"_s);
  auto* file = new QHBoxLayout;
  file->addWidget(name_, 1);
  file->addWidget(details_);
  file->addWidget(remove_);
  file->addWidget(choose_);
  auto* column = makeBareLayout<QVBoxLayout>(this, spacing::kTight);
  column->addWidget(caption_);
  column->addLayout(file);
  column->addWidget(text_);
  connect(choose_, &QToolButton::clicked, this, &WeightsPanel::choose);
  connect(remove_, &QToolButton::clicked, this, [this] { Q_EMIT fileChosen({}); });
  connect(details_, &QToolButton::clicked, this, &WeightsPanel::showDetails);
  showState();
}

void WeightsPanel::setFile(const std::filesystem::path& file) {
  if (file == file_) return;
  file_ = file;
  outcome_.reset();
  failure_.clear();
  showState();
}

void WeightsPanel::setOutcome(const WeightTransfer& outcome) {
  outcome_ = outcome;
  failure_.clear();
  showState();
}

void WeightsPanel::setFailure(const QString& reason) {
  outcome_.reset();
  failure_ = reason;
  showState();
}

void WeightsPanel::setReadOnly(bool readOnly) {
  readOnly_ = readOnly;
  showState();
}

void WeightsPanel::showState() {
  const bool isChosen = !file_.empty();
  name_->setText(isChosen ? oneLine(toText(file_.filename())) : u"Weights drawn from the seed"_s);
  caption_->setVisible(isChosen);
  name_->setDetails(isChosen ? toolTipText(toText(file_)) : QString());
  choose_->setText(isChosen ? u"Change …"_s : u"Start from weights …"_s);
  choose_->setVisible(!readOnly_);
  remove_->setVisible(isChosen && !readOnly_);
  text_->setVisible(isChosen && !readOnly_);
  text_->setText(outcome_             ? countText(*outcome_)
                 : failure_.isEmpty() ? u"Comparing the file with the network …"_s
                                      : failure_);
  setRole(*text_, failure_.isEmpty() ? u"secondary"_s : u"error"_s);
  details_->setVisible(outcome_.has_value() && !readOnly_);
}

void WeightsPanel::choose() {
  auto* dialog = new QFileDialog(this, u"Weights at the start"_s, toText(file_.parent_path()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({u"Weights (*.safetensors *.pt *.pth *.bin)"_s, u"All files (*)"_s});
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    Q_EMIT fileChosen({QFile::encodeName(path).toStdString()});
  });
  dialog->open();
}

void WeightsPanel::showDetails() {
  auto* dialog = new TransferDialog(*outcome_, toText(file_.filename()), this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

}  // namespace lambda
