#include "app/train/data/data_panel.h"

#include <QButtonGroup>
#include <QFile>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/session/data_location.h"
#include "app/train/data/classes_dialog.h"
#include "app/train/data/data_place.h"
#include "app/train/data/data_report_text.h"
#include "app/train/data/download_row.h"
#include "engine/data/sources/data_sources.h"
#include "engine/runtime/error.h"
#include "engine/values/config/fields.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kChoicesInARow = 3;
constexpr int kSignSide = 16;

QLabel* makeText(QWidget* parent, const QString& text, const QString& role) {
  auto* label = new QLabel(text, parent);
  label->setProperty(kRole, role);
  label->setWordWrap(true);
  return label;
}

/// The built-in data set, which needs no file.
Fix useBuiltIn() {
  const DataSourceTraits traits = traitsOf(DataSource());
  return {u"Use %1"_s.arg(QString::fromUtf8(traits.title)).toStdString(),
          "data.source",
          '"' + std::string(traits.kind) + '"'};
}

}  // namespace

DataPanel::Services DataPanel::realServices() {
  return {[](const DataSource& source) { return checkDataset(source); },
          [](const fs::path& folder) { return cifar10Download(folder); }};
}

DataPanel::DataPanel(Services services, QWidget* parent)
    : QWidget(parent),
      services_(std::move(services)),
      dataFolder_(standardDataFolder()),
      check_(*this) {
  makeBareLayout<QVBoxLayout>(this, 8);
  makeChoices();
  makePlace();
  makeDownload();
  showSource();
  onChange(*this, {QEvent::PaletteChange, QEvent::FontChange}, [this] { showState(); });
}

DataPanel::~DataPanel() = default;

void DataPanel::makeChoices() {
  choices_ = new QButtonGroup(this);
  auto* grid = new QGridLayout;
  grid->setSpacing(4);
  for (std::size_t kind = 0; kind < KindsOf<DataSource>::names.size(); ++kind) {
    const DataSourceTraits traits = traitsOf(valueOfKind<DataSource>(kind));
    const int place = static_cast<int>(kind);
    auto* button = new QToolButton(this);
    button->setText(QString::fromUtf8(traits.title));
    button->setCheckable(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setAccessibleDescription(QString::fromUtf8(traits.meaning));
    button->setToolTip(QString::fromUtf8(traits.meaning));
    choices_->addButton(button, place);
    grid->addWidget(button, place / kChoicesInARow, place % kChoicesInARow);
  }
  static_cast<QVBoxLayout*>(layout())->addLayout(grid);
  meaning_ = makeText(this, {}, u"secondary"_s);
  layout()->addWidget(meaning_);
  connect(choices_, &QButtonGroup::idClicked, this, [this](int id) {
    choose(static_cast<std::size_t>(id));
  });
}

void DataPanel::makePlace() {
  files_ = new QFrame(this);
  auto* column = makeBareLayout<QVBoxLayout>(files_, 8);
  place_ = new DataPlace(files_);
  column->addWidget(place_);
  auto* state = new QHBoxLayout;
  state->setSpacing(8);
  sign_ = new QLabel(files_);
  sign_->setAlignment(Qt::AlignTop);
  text_ = makeText(files_, {}, {});
  text_->setObjectName(u"dataState"_s);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  state->addWidget(sign_);
  state->addWidget(text_, 1);
  column->addLayout(state);
  classes_ = new QToolButton(files_);
  classes_->setObjectName(u"classes"_s);
  classes_->setProperty(kRole, u"quiet"_s);
  column->addWidget(classes_, 0, Qt::AlignLeft);
  connect(classes_, &QToolButton::clicked, this, &DataPanel::showClasses);
  layout()->addWidget(files_);
  connect(place_, &DataPlace::placeChosen, this, [this](const fs::path& place) {
    DataSource source = source_;
    if (std::string* path = pathOf(source)) *path = place.string();
    Q_EMIT sourceChosen(source);
  });
}

void DataPanel::makeDownload() {
  download_ = new DownloadRow(files_);
  files_->layout()->addWidget(download_);
  connect(download_, &DownloadRow::startRequested, this, [this] {
    download_->start(services_.download(dataFolder_));
  });
  connect(download_, &DownloadRow::finished, this, [this](const QString& file) {
    DataSource source = source_;
    if (std::string* path = pathOf(source)) *path = QFile::encodeName(file).toStdString();
    Q_EMIT sourceChosen(source);
  });
}

// ---- what is chosen ----

void DataPanel::setDataFolder(const fs::path& folder) {
  if (folder == dataFolder_) return;
  dataFolder_ = folder;
  if (state_ != DataState::builtIn) recheck();
}

void DataPanel::choose(std::size_t kind) {
  if (kind == source_.index()) return;
  const DataSource chosen = valueOfKind<DataSource>(kind);
  Q_EMIT sourceChosen(chosen);
}

void DataPanel::setSource(const DataSource& source) {
  if (source == source_) return;
  source_ = source;
  showSource();
}

void DataPanel::showSource() {
  choices_->button(static_cast<int>(source_.index()))->setChecked(true);
  meaning_->setText(QString::fromUtf8(traitsOf(source_).meaning));
  if (pathOf(source_)) {
    place_->setKind(source_);
    // The check may hide the explanation, which must happen first: both together need more space
    // than there may be.
    recheck();
    files_->show();
    return;
  }
  files_->hide();
  isWaiting_ = false;
  check_.cancel();
  dataset_ = announcedInfo(source_);
  setState(DataState::builtIn, {});
}

bool DataPanel::offer(const fs::path& path) {
  if (readOnly_ || !looksLikeData(path)) return false;
  DataSource source = pathOf(source_) ? source_ : DataSource(Cifar10Source());
  *pathOf(source) = path.string();
  try {
    source = recognizeDataSource(path.string(), source);
  } catch (const Error&) {
    // The check reports what is missing for the chosen kind.
  }
  Q_EMIT sourceChosen(source);
  return true;
}

void DataPanel::setReadOnly(bool readOnly) {
  readOnly_ = readOnly;
  place_->setReadOnly(readOnly);
  showState();
}

DataSource DataPanel::resolvedSource() const {
  const bool isFound = state_ == DataState::usable || state_ == DataState::checking;
  return isFound ? located_ : source_;
}

std::vector<Problem> DataPanel::problems() const {
  if (state_ == DataState::locating)
    return {{"data.source", Severity::error, "The data is still being looked for.", std::nullopt}};
  if (state_ == DataState::missing) {
    const DataSourceTraits traits = traitsOf(source_);
    const QString text =
        traits.canBeDownloaded
            ? u"%1 is not there. Download it, choose its place, or train on shapes10."_s
            : u"%1: there is nothing at this place. Choose where the data lies, or train on "
              "shapes10."_s;
    return {{"data.source",
             Severity::error,
             text.arg(QString::fromUtf8(traits.title)).toStdString(),
             useBuiltIn()}};
  }
  if (state_ == DataState::damaged) {
    return {{"data.source",
             Severity::error,
             u"The chosen data can't be used: the reason is shown below it."_s.toStdString(),
             useBuiltIn()}};
  }
  return {};
}

// ---- the check ----

void DataPanel::recheck() {
  isWaiting_ = false;
  dataset_.reset();
  located_ = source_;
  place_->setPlace(*pathOf(source_));
  setState(DataState::locating, u"Looking for the files …"_s);
  check_.runNewest([source = source_, folder = dataFolder_] { return locate(source, folder); },
                   [this](const DataLocation& location) { takeLocation(location); });
}

void DataPanel::takeLocation(const DataLocation& location) {
  located_ = location.source;
  place_->setPlace(*pathOf(located_));
  if (!location.isFound) {
    const bool canBeDownloaded = traitsOf(source_).canBeDownloaded;
    setState(DataState::missing,
             !canBeDownloaded
                 ? u"There is nothing at this place. Choose where the data lies: %1."_s.arg(
                       QString::fromUtf8(traitsOf(source_).layout))
             : hasDefaultPath(source_)
                 ? u"Not on this machine yet. Download it, or choose its place."_s
                 : u"There is nothing at this place. Choose another one, or download the set."_s);
    return;
  }
  setState(DataState::checking, u"Checking the files …"_s);
  // An archive takes seconds to read, so that it is read only when the panel is visible.
  isWaiting_ = !isVisible();
  if (isWaiting_) return;
  check_.runNewest([check = services_.check, source = located_] { return check(source); },
                   [this](const DataReport& report) { takeReport(report); });
}

void DataPanel::takeReport(const DataReport& report) {
  report_ = report;
  const QString findings = findingsText(report);
  if (!report.usable) {
    setState(DataState::damaged, findings);
    return;
  }
  dataset_ = report.info;
  QString text = countsText(report);
  if (!findings.isEmpty()) text += u"<br>"_s + findings;
  setState(DataState::usable, text);
}

void DataPanel::showClasses() {
  auto* dialog = new ClassesDialog(report_, located_, this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void DataPanel::setState(DataState state, const QString& text) {
  state_ = state;
  stateText_ = text;
  showState();
  Q_EMIT stateChanged();
}

void DataPanel::showState() {
  const Colors& colors = colorsOf(*this);
  QIcon icon;
  switch (state_) {
    case DataState::builtIn:
    case DataState::locating:
    case DataState::checking:
      break;
    case DataState::missing:
      icon = lambda::icon(u"info"_s, colors.textSecondary);
      break;
    case DataState::damaged:
      icon = lambda::icon(u"error"_s, colors.error);
      break;
    case DataState::usable:
      icon = lambda::icon(u"check"_s, colors.success);
      break;
  }
  const int side = qRound(kSignSide * textScale());
  sign_->setFixedWidth(side);
  sign_->setPixmap(icon.pixmap(side));
  sign_->setVisible(!icon.isNull());
  text_->setText(stateText_);
  const bool hasClasses = !classCountsOf(report_).empty();
  classes_->setText(hasClasses ? u"Classes and examples"_s : u"Findings"_s);
  classes_->setToolTip(hasClasses
                           ? u"The number of images in each class, some of them, and all findings"_s
                           : u"All findings of the check"_s);
  const bool isChecked = state_ == DataState::usable || state_ == DataState::damaged;
  classes_->setVisible(isChecked && (hasClasses || !report_.findings.empty()));
  for (QAbstractButton* button : choices_->buttons()) {
    button->setEnabled(!readOnly_);
    button->setVisible(!readOnly_ || button->isChecked());
  }
  const bool isLacking = state_ == DataState::missing || state_ == DataState::damaged;
  const bool canBeDownloaded = traitsOf(source_).canBeDownloaded;
  download_->setOffered(isLacking && canBeDownloaded, !readOnly_);
  // The result of the check or the download tells more.
  meaning_->setVisible(state_ == DataState::builtIn || (isLacking && !canBeDownloaded));
}

void DataPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isWaiting_) recheck();
}

}  // namespace lambda
