#include "app/runs/panels/export/export_run_dialog.h"

#include <array>
#include <utility>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProgressBar>
#include <QPushButton>
#include <QStyle>
#include <QVBoxLayout>

#include "app/session/documents/export_session.h"
#include "widgets/export/export_folder.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace fs = std::filesystem;

namespace lambda {

namespace {

constexpr QSize kDialogSize(680, 480);

/// A sentence on each kind, in the order of RunExport.
constexpr std::array<const char16_t*, kRunExports.size()> kMeanings{
    u"The weights and running statistics of the best checkpoint, as a safetensors file that says "
    "how the network is built and how an image becomes its input.",
    u"A folder with the weights and one Python file that builds the network in PyTorch and "
    "classifies images.",
    u"The network with its weights as one file for ONNX Runtime, Netron and other programs.",
    u"The same for one token of a sequence, with what the network keeps of the tokens before as "
    "inputs and outputs. For networks that predict tokens.",
    u"Label, prediction, loss and the probabilities of all classes for every image of a split. "
    "Scoring the test images is counted.",
    u"The images of the run's data set, for use in other programs.",
    u"Losses, accuracies, learning rate and throughput: one line of CSV for each epoch.",
    u"The same for each batch.",
    u"Histograms of weights, gradients and outputs over the steps, as CSV.",
    u"All settings of the run as JSON, with which it can be trained again.",
    u"The network alone as JSON.",
    u"Shape, parameters, FLOPs and memory of each layer, as CSV."};

QComboBox* makeChoice(QWidget* parent, const QString& name, const QStringList& items) {
  auto* choice = new QComboBox(parent);
  choice->setAccessibleName(name);
  choice->addItems(items);
  return choice;
}

QString textOf(const ExportReport& report, const QString& place) {
  QString text = u"Saved %1: %2"_s.arg(place, bytesText(static_cast<qint64>(report.bytes)));
  if (report.tensors > 0) text += u", "_s + countedText(report.tensors, u"tensor"_s);
  if (report.images > 0) text += u", "_s + countedText(report.images, u"image"_s);
  if (report.scores)
    text +=
        u", "_s + QString::fromStdString(namedScore(report.scores->score, report.scores->scoredBy));
  return text + u'.';
}

}  // namespace

ExportRunDialog::ExportRunDialog(fs::path run,
                                 const QString& name,
                                 ExportSession& session,
                                 QWidget* parent)
    : QDialog(parent),
      run_(std::move(run)),
      session_(session),
      kinds_(new QListWidget(this)),
      meaning_(new QLabel(this)),
      split_(makeChoice(this, u"Images"_s, {u"Training"_s, u"Validation"_s, u"Test"_s})),
      format_(makeChoice(this, u"Format"_s, {})),
      augmentation_(makeChoice(
          this, u"Augmentation"_s, {u"None"_s, u"As the network gets them in epoch 1"_s})),
      license_(new QLineEdit(this)),
      place_(new QLineEdit(this)),
      browse_(new QPushButton(u"Choose …"_s, this)),
      message_(new QLabel(this)),
      progress_(new QProgressBar(this)),
      export_(new QPushButton(u"Export"_s, this)),
      close_(new QPushButton(u"Close"_s, this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(u"Export %1"_s.arg(name));
  resize(kDialogSize * textScale());
  for (const RunExportTraits& traits : kRunExports) {
    kinds_->addItem(QString::fromUtf8(traits.title));
  }
  kinds_->setAccessibleName(u"What to export"_s);
  for (QLabel* label : {meaning_, message_}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  message_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  license_->setAccessibleName(u"Licence"_s);
  license_->setPlaceholderText(u"For example CC-BY-4.0"_s);
  place_->setAccessibleName(u"Place"_s);
  progress_->setAccessibleName(u"Progress of the export"_s);
  export_->setProperty(kRole, u"primary"_s);
  export_->setDefault(true);

  auto* form = new QFormLayout;
  form->addRow(meaning_);
  form->addRow(u"Images"_s, split_);
  form->addRow(u"Format"_s, format_);
  form->addRow(u"Augmentation"_s, augmentation_);
  form->addRow(u"Licence"_s, license_);
  auto* where = new QHBoxLayout;
  where->addWidget(place_, 1);
  where->addWidget(browse_);
  form->addRow(u"Save as"_s, where);
  auto* top = new QHBoxLayout;
  top->setSpacing(16);
  top->addWidget(kinds_, 1);
  top->addLayout(form, 2);
  auto* buttons = new QDialogButtonBox(this);
  buttons->addButton(close_, QDialogButtonBox::RejectRole);
  buttons->addButton(export_, QDialogButtonBox::AcceptRole);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addLayout(top, 1);
  column->addWidget(message_);
  column->addWidget(progress_);
  column->addWidget(buttons);

  connect(kinds_, &QListWidget::currentRowChanged, this, &ExportRunDialog::kindChosen);
  connect(format_, &QComboBox::currentIndexChanged, this, &ExportRunDialog::formatChosen);
  connect(split_, &QComboBox::currentIndexChanged, this, &ExportRunDialog::updateState);
  connect(place_, &QLineEdit::textChanged, this, &ExportRunDialog::updateState);
  connect(browse_, &QPushButton::clicked, this, &ExportRunDialog::browse);
  connect(export_, &QPushButton::clicked, this, &ExportRunDialog::start);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(&session_, &ExportSession::progressed, this, [this](qint64 done, qint64 total) {
    progress_->setRange(0, static_cast<int>(total));
    progress_->setValue(static_cast<int>(done));
  });
  connect(&session_, &ExportSession::finished, this, &ExportRunDialog::finish);
  connect(&session_, &ExportSession::failed, this, [this](const QString& reason) {
    tell(u"Could not export: %1"_s.arg(reason), "error");
  });
  connect(&session_, &ExportSession::cancelled, this, [this] {
    tell(u"Cancelled; nothing was written."_s, "secondary");
  });
  kinds_->setCurrentRow(0);
}

ExportRunDialog::~ExportRunDialog() {
  session_.cancel();
}

RunExport ExportRunDialog::kind() const {
  return static_cast<RunExport>(std::max(0, kinds_->currentRow()));
}

bool ExportRunDialog::isFolder() const {
  return kind() == RunExport::pytorch ||
         (kind() == RunExport::images && format_->currentIndex() == 0);
}

QString ExportRunDialog::ending() const {
  const QString usual = QString::fromUtf8(traitsOf(kind()).ending);
  if (format_->currentIndex() != 1) return usual;
  if (kind() == RunExport::images) return u"-images.npz"_s;
  return kind() == RunExport::predictions ? u"-predictions.npy"_s : usual;
}

void ExportRunDialog::kindChosen() {
  const bool isImages = kind() == RunExport::images;
  meaning_->setText(QString::fromUtf16(kMeanings[static_cast<std::size_t>(kind())]));
  {
    const QSignalBlocker blocker(format_);
    format_->clear();
    format_->addItems(
        isImages ? QStringList{u"PNG files, a folder for each class"_s, u"NumPy archive (.npz)"_s}
                 : QStringList{u"CSV"_s, u"NumPy array (.npy)"_s});
  }
  split_->setCurrentIndex(static_cast<int>(isImages ? Split::train : Split::test));
  message_->clear();
  formatChosen();
}

void ExportRunDialog::formatChosen() {
  const bool isEdited = !place_->text().isEmpty() && place_->text() != suggested_;
  const QString folder = isEdited ? QFileInfo(place_->text()).path() : exportFolder();
  suggested_ = QDir(folder).filePath(toText(run_.filename()) + ending());
  place_->setText(suggested_);
  updateState();
}

void ExportRunDialog::browse() {
  auto* dialog = new QFileDialog(this, u"Save as"_s, QFileInfo(place_->text()).path());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  if (!isFolder()) dialog->setDefaultSuffix(ending().section(u'.', -1));
  dialog->selectFile(QFileInfo(place_->text()).fileName());
  connect(dialog, &QFileDialog::fileSelected, place_, &QLineEdit::setText);
  dialog->open();
}

ExportJob ExportRunDialog::job() const {
  ExportJob job{.run = run_, .what = kind(), .out = toPath(place_->text())};
  const ExportForm form = traitsOf(kind()).form;
  if (form == ExportForm::weights && !license_->text().trimmed().isEmpty()) {
    job.license = license_->text().trimmed().toStdString();
  }
  if (form == ExportForm::computed) job.split = static_cast<Split>(split_->currentIndex());
  if (augmentation_->isEnabled() && augmentation_->currentIndex() == 1) job.augmentedInEpoch = 1;
  return job;
}

void ExportRunDialog::start() {
  if (session_.isRunning()) return session_.cancel();
  rememberExport(place_->text());
  tell(u"Exporting …"_s, "secondary");
  progress_->setRange(0, 0);
  session_.start(job());
  updateState();
}

void ExportRunDialog::finish(const ExportReport& report) {
  tell(textOf(report, place_->text()), "secondary");
}

void ExportRunDialog::tell(const QString& text, const char* role) {
  message_->setText(text);
  message_->setProperty(kRole, QString::fromLatin1(role));
  message_->style()->unpolish(message_);
  message_->style()->polish(message_);
  updateState();
}

void ExportRunDialog::updateState() {
  const bool isRunning = session_.isRunning();
  const bool isComputed = traitsOf(kind()).form == ExportForm::computed;
  const bool isImages = kind() == RunExport::images;
  auto* form = qobject_cast<QFormLayout*>(layout()->itemAt(0)->layout()->itemAt(1)->layout());
  form->setRowVisible(split_, isComputed);
  form->setRowVisible(format_, isComputed);
  form->setRowVisible(augmentation_, isImages);
  form->setRowVisible(license_, traitsOf(kind()).form == ExportForm::weights);
  augmentation_->setEnabled(isImages && split_->currentIndex() == static_cast<int>(Split::train));
  for (QWidget* widget :
       std::initializer_list<QWidget*>{kinds_, split_, format_, license_, place_, browse_}) {
    widget->setEnabled(!isRunning);
  }
  progress_->setVisible(isRunning);
  export_->setText(isRunning ? u"Cancel"_s : u"Export"_s);
  export_->setEnabled(isRunning || !place_->text().trimmed().isEmpty());
}

}  // namespace lambda
