#include "app/train/data/data_panel.h"

#include <QButtonGroup>
#include <QEvent>
#include <QFile>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QStandardPaths>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/train/data/data_location.h"
#include "app/train/data/data_place.h"
#include "app/train/data/data_report_text.h"
#include "app/train/data/download_row.h"
#include "engine/formats/cifar10/cifar10_files.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr int kBuiltIn = 0;
constexpr int kCifar10 = 1;
constexpr int kSignSide = 16;

fs::path pathOf(const QString& text) {
  return {QFile::encodeName(text).toStdString()};
}

QLabel* makeText(QWidget* parent, const QString& text, const QString& role) {
  auto* label = new QLabel(text, parent);
  label->setProperty(kRole, role);
  label->setWordWrap(true);
  return label;
}

QString meaningOf(int choice) {
  if (choice == kCifar10)
    return DataPanel::tr("60,000 photographs of 32×32 pixels in ten classes.");
  return DataPanel::tr(
      "Drawn by this program: a shape and, far from it, a dot. No download; learnt in minutes.");
}

bool isFound(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

DataPanel::Services DataPanel::realServices() {
  return {[](const fs::path& path) { return checkCifar10(path); },
          [](const fs::path& folder) { return cifar10Download(folder); }};
}

DataPanel::DataPanel(Services services, QWidget* parent)
    : QWidget(parent),
      services_(std::move(services)),
      dataFolder_(pathOf(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)) /
                  kCifar10Source),
      check_(*this) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins({});
  column->setSpacing(8);
  makeChoices();
  makePlace();
  makeDownload();
  setSource(kShapes10Source);
}

DataPanel::~DataPanel() = default;

void DataPanel::makeChoices() {
  choices_ = new QButtonGroup(this);
  auto* row = new QHBoxLayout;
  row->setSpacing(4);
  const std::pair<int, QString> choices[] = {{kBuiltIn, tr("shapes10")},
                                             {kCifar10, tr("CIFAR-10")}};
  for (const auto& [id, name] : choices) {
    auto* button = new QToolButton(this);
    button->setText(name);
    button->setCheckable(true);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    button->setAccessibleDescription(meaningOf(id));
    choices_->addButton(button, id);
    row->addWidget(button);
  }
  static_cast<QVBoxLayout*>(layout())->addLayout(row);
  meaning_ = makeText(this, {}, u"secondary"_s);
  layout()->addWidget(meaning_);
  connect(choices_, &QButtonGroup::idClicked, this, [this](int id) {
    Q_EMIT sourceChosen(id == kBuiltIn ? kShapes10Source : kCifar10Source);
  });
}

void DataPanel::makePlace() {
  cifar_ = new QFrame(this);
  auto* column = new QVBoxLayout(cifar_);
  column->setContentsMargins({});
  column->setSpacing(8);
  place_ = new DataPlace(cifar_);
  column->addWidget(place_);
  auto* state = new QHBoxLayout;
  state->setSpacing(8);
  sign_ = new QLabel(cifar_);
  sign_->setAlignment(Qt::AlignTop);
  text_ = makeText(cifar_, {}, {});
  text_->setObjectName(u"dataState"_s);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  state->addWidget(sign_);
  state->addWidget(text_, 1);
  column->addLayout(state);
  layout()->addWidget(cifar_);
  connect(place_, &DataPlace::placeChosen, this, [this](const fs::path& place) {
    Q_EMIT sourceChosen(place.string());
  });
}

void DataPanel::makeDownload() {
  download_ = new DownloadRow(cifar_);
  cifar_->layout()->addWidget(download_);
  connect(download_, &DownloadRow::startRequested, this, [this] {
    download_->start(services_.download(dataFolder_));
  });
  connect(download_, &DownloadRow::finished, this, [this](const QString& file) {
    Q_EMIT sourceChosen(QFile::encodeName(file).toStdString());
  });
}

// ---- what is chosen ----

void DataPanel::setDataFolder(const fs::path& folder) {
  dataFolder_ = folder;
  if (state_ != DataState::builtIn) recheck();
}

void DataPanel::setSource(const std::string& source) {
  if (source == source_) return;
  source_ = source;
  const bool isBuiltIn = source == kShapes10Source;
  const int choice = isBuiltIn ? kBuiltIn : kCifar10;
  choices_->button(choice)->setChecked(true);
  meaning_->setText(meaningOf(choice));
  cifar_->setVisible(!isBuiltIn);
  if (isBuiltIn) {
    isWaiting_ = false;
    check_.forget();
    setState(DataState::builtIn, {});
  } else {
    recheck();
  }
}

bool DataPanel::offer(const fs::path& path) {
  if (readOnly_ || !looksLikeData(path)) return false;
  Q_EMIT sourceChosen(path.string());
  return true;
}

void DataPanel::setReadOnly(bool readOnly) {
  readOnly_ = readOnly;
  place_->setReadOnly(readOnly);
  showState();
}

std::string DataPanel::resolvedSource() const {
  const bool isFound = state_ == DataState::usable || state_ == DataState::checking;
  return isFound ? location_.string() : source_;
}

std::vector<Problem> DataPanel::problems() const {
  if (state_ == DataState::missing) {
    return {{"data.source",
             Severity::error,
             tr("CIFAR-10 is not there. Download it, choose where it lies, or train on shapes10.")
                 .toStdString(),
             Fix{tr("Use shapes10").toStdString(), "data.source", "\"shapes10\""}}};
  }
  if (state_ == DataState::damaged) {
    return {{"data.source",
             Severity::error,
             tr("The chosen data cannot be used: see below it what is wrong.").toStdString(),
             Fix{tr("Use shapes10").toStdString(), "data.source", "\"shapes10\""}}};
  }
  return {};
}

// ---- the check ----

void DataPanel::recheck() {
  isWaiting_ = false;
  location_ = cifar10Location(source_, dataFolder_);
  place_->setPlace(location_);
  if (!isFound(location_)) {
    check_.forget();
    const bool isChosen = source_ != kCifar10Source;
    setState(DataState::missing,
             isChosen
                 ? tr("There is nothing at this place. Choose another one, or download the set.")
                 : tr("Not on this machine yet. Download it, or choose where it lies."));
    return;
  }
  setState(DataState::checking, tr("Looking through the files …"));
  // An archive takes seconds to read: not before somebody wants to know.
  isWaiting_ = !isVisible();
  if (isWaiting_) return;
  check_.start([check = services_.check, location = location_] { return check(location); },
               [this](const DataReport& report) { takeReport(report); });
}

void DataPanel::takeReport(const DataReport& report) {
  const QString findings = findingsText(report);
  if (!report.usable) {
    setState(DataState::damaged, findings);
    return;
  }
  QString text = countsText(report);
  if (!findings.isEmpty()) text += u"<br>"_s + findings;
  setState(DataState::usable, text);
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
  for (QAbstractButton* button : choices_->buttons()) {
    button->setEnabled(!readOnly_);
    button->setVisible(!readOnly_ || button->isChecked());
  }
  const bool isLacking = state_ == DataState::missing || state_ == DataState::damaged;
  download_->setOffered(isLacking, !readOnly_);
}

void DataPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (isWaiting_) recheck();
}

void DataPanel::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) showState();
  QWidget::changeEvent(event);
}

}  // namespace lambda
