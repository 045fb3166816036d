#include "app/inspect/images/image_picker.h"

#include <algorithm>

#include <QAbstractItemView>
#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QRandomGenerator>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/inspect/choosers/name_list.h"
#include "app/inspect/panels/panel_parts.h"
#include "app/session/runs/lacking_images.h"
#include "app/session/studio_settings.h"
#include "widgets/export/export_menu.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kThumbnailSide = 48;
constexpr int kProgressWidth = 64;
constexpr int kListMargin = 24;
constexpr int kNameLetters = 20;  // limit for the name of an own picture; the tooltip has all of it

}  // namespace

ImagePicker::ImagePicker(QWidget* parent)
    : QWidget(parent),
      splits_(new NameList),
      classes_(new QComboBox),
      filters_(new QComboBox),
      index_(new QSpinBox),
      status_(makeNote()),
      score_(new QPushButton(u"Score the test images"_s)),
      progress_(new QProgressBar),
      cancel_(new QPushButton(u"Cancel"_s)),
      grid_(new ImageGrid(ImageGrid::Arrangement::strip)) {
  splits_->addItems({u"Validation"_s, u"Test"_s});
  splits_->setAccessibleName(u"Which images"_s);
  // The count of test evaluations is wider than the choice itself: the open list has the space for
  // it, and the closed one shortens it.
  splits_->setMinimumContentsLength(9);
  classes_->setAccessibleName(u"Class"_s);
  filters_->addItems({u"All"_s, u"Wrong"_s, u"Correct"_s});
  filters_->setAccessibleName(u"Predictions"_s);
  filters_->setToolTip(u"All images, or those with wrong or correct predictions"_s);
  index_->setAccessibleName(u"Image number"_s);
  index_->setToolTip(u"Number of the image within its split"_s);
  index_->setKeyboardTracking(false);
  index_->setMaximum(0);
  status_->setWordWrap(false);
  progress_->setFixedWidth(kProgressWidth);
  cancel_->setProperty(kRole, u"quiet"_s);

  auto* row = new FlowLayout(8);
  row->addWidget(splits_);
  row->addWidget(classes_);
  row->addWidget(filters_);
  row->addWidget(index_);
  auto* buttons = new QWidget;
  buttons_ = makeBareLayout<QHBoxLayout>(buttons, 0);
  row->addWidget(buttons);
  row->addWidget(status_);
  row->addWidget(score_);
  row->addWidget(progress_);
  row->addWidget(cancel_);
  row->beginRight();
  export_ = makeExportButton(*grid_, *grid_);
  row->addWidget(export_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 4);
  column->setSpacing(4);
  column->addLayout(row);
  column->addWidget(grid_);

  connect(splits_, &QComboBox::activated, this, [this](int index) {
    Q_EMIT splitChosen(index == 0 ? Split::validation : Split::test);
  });
  connect(classes_, &QComboBox::activated, this, [this](int index) { setClass(index - 1); });
  connect(filters_, &QComboBox::activated, this, [this](int index) {
    chooseFilter(static_cast<PredictionFilter>(index));
  });
  connect(score_, &QPushButton::clicked, this, &ImagePicker::predictionsRequested);
  connect(index_, &QSpinBox::valueChanged, this, &ImagePicker::imageChosen);
  connect(cancel_, &QPushButton::clicked, this, &ImagePicker::cancelRequested);
  connect(grid_, &ImageGrid::imageActivated, this, &ImagePicker::imageChosen);
  fitToText();
  setProgress(std::nullopt);
  fillClasses();
  fill();
  onFontChange(*this, [this] { fitToText(); });
}

void ImagePicker::addButtons(const QList<QAction*>& actions) {
  for (QAction* action : actions) {
    if (action == nullptr) {
      buttons_->addSpacing(8);
      continue;
    }
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setProperty(kRole, u"quiet"_s);
    button->setAccessibleName(action->text());
    if (action->icon().isNull()) button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    buttons_->addWidget(button);
  }
  fitToText();
}

void ImagePicker::setImages(Split split,
                            std::shared_ptr<const LabeledImages> images,
                            const QString& problem) {
  if (split == split_ && images == images_ && problem == problem_) return;
  const bool hasOtherClasses = !images || !images_ || images->classNames != images_->classNames;
  split_ = split;
  images_ = std::move(images);
  problem_ = problem;
  splits_->setCurrentIndex(split == Split::test ? 1 : 0);
  const QSignalBlocker blocker(index_);
  index_->setMaximum(images_ ? std::max(0, static_cast<int>(images_->count()) - 1) : 0);
  index_->setEnabled(images_ != nullptr);
  if (images_ && hasOtherClasses) fillClasses();
  fill();
}

void ImagePicker::setPredictions(std::shared_ptr<const Predictions> predictions) {
  if (predictions == predictions_) return;
  predictions_ = std::move(predictions);
  fill();
}

void ImagePicker::setPredictable(bool possible, const QString& reason) {
  isPredictable_ = possible;
  filters_->setEnabled(possible);
  filters_->setToolTip(possible ? u"All images, or those with wrong or correct predictions"_s
                                : reason);
  if (!possible && filter_ != PredictionFilter::all) setFilter(PredictionFilter::all);
}

void ImagePicker::setProgress(std::optional<std::pair<qint64, qint64>> doneOfTotal) {
  progress_->setVisible(doneOfTotal.has_value());
  cancel_->setVisible(doneOfTotal.has_value());
  score_->hide();
  // The progress bar needs its place, and half of the predictions are not worth exporting.
  export_->setVisible(!doneOfTotal);
  isClassifying_ = doneOfTotal.has_value();
  if (doneOfTotal) {
    progress_->setMaximum(static_cast<int>(doneOfTotal->second));
    progress_->setValue(static_cast<int>(doneOfTotal->first));
    status_->setText(u"Classifying %1 of %2"_s.arg(countText(doneOfTotal->first),
                                                   countText(doneOfTotal->second)));
  } else {
    fill();
  }
}

void ImagePicker::setTestEvaluations(int looks) {
  testEvaluations_ = looks;
  showSplits();
}

void ImagePicker::setLacking(Split split) {
  lacking_.insert(split);
  showSplits();
  if (split == split_) fill();
}

bool ImagePicker::lacks(Split split) const {
  return lacking_.contains(split);
}

void ImagePicker::forgetLacking() {
  lacking_.clear();
  showSplits();
}

void ImagePicker::showSplits() {
  splits_->setItemText(0, lacks(Split::validation) ? u"Validation, none"_s : u"Validation"_s);
  splits_->setItemText(1,
                       lacks(Split::test) ? u"Test, none"_s
                       : testEvaluations_ == 0
                           ? u"Test, never scored"_s
                           : u"Test, scored %1"_s.arg(timesText(testEvaluations_)));
  auto& items = static_cast<QStandardItemModel&>(*splits_->model());
  for (const Split split : {Split::validation, Split::test}) {
    QStandardItem& item = *items.item(split == Split::test ? 1 : 0);
    item.setEnabled(!lacks(split));
    item.setToolTip(lacks(split) ? u"The data of this run have no images of this split"_s
                                 : QString());
  }
  fitChoices();
  splits_->setToolTip(
      u"The validation images chose the weights. The test images must choose nothing: each "
      "scoring of all of them is counted in the run's record."_s);
}

void ImagePicker::fitToText() {
  grid_->setThumbnailSide(qRound(kThumbnailSide * textScale()));
  grid_->setFixedHeight(grid_->sizeHint().height());
  fitChoices();
}

void ImagePicker::fitChoices() {
  QAbstractItemView& list = *splits_->view();
  list.setMinimumWidth(list.sizeHintForColumn(0) + kListMargin);
}

void ImagePicker::setCurrent(int image) {
  current_ = image;
  grid_->setCurrentImage(image);
  if (image < 0) return;
  pictureName_.clear();
  const QSignalBlocker blocker(index_);
  index_->setValue(image);
  if (!isClassifying_) showCount();
}

void ImagePicker::setPictureName(const QString& name) {
  pictureName_ = name;
  setCurrent(-1);
  if (!isClassifying_) showCount();
}

std::optional<int> ImagePicker::predictedOf(int image) const {
  if (!predictions_ || predictions_->split != split_ || image < 0 ||
      image >=
          static_cast<int>(std::min(predictions_->predicted.size(), predictions_->labels.size()))) {
    return std::nullopt;
  }
  return predictions_->predicted[static_cast<std::size_t>(image)];
}

void ImagePicker::fillClasses() {
  classes_->clear();
  classes_->addItem(u"All classes"_s);
  label_ = -1;
  if (!images_) return;
  // Numbers have no classes to choose, and are not right or wrong.
  for (QWidget* filter : {static_cast<QWidget*>(classes_), static_cast<QWidget*>(filters_)}) {
    filter->setVisible(images_->numberNames.empty());
  }
  for (const std::string& name : images_->classNames) {
    classes_->addItem(QString::fromStdString(name));
  }
}

void ImagePicker::fill() {
  std::vector<GridImage> shown;
  const int count = images_ ? static_cast<int>(images_->count()) : 0;
  const auto nameOf = [this](int label) {
    return label < static_cast<int>(images_->classNames.size())
               ? QString::fromStdString(images_->classNames[static_cast<std::size_t>(label)])
               : QString::number(label);
  };
  const std::size_t width = images_ ? images_->numberNames.size() : 0;
  for (int image = 0; image < count; ++image) {
    const auto index = static_cast<std::size_t>(image);
    const bool hasClass = images_->numberNames.empty();
    const int label = hasClass ? images_->labels[index] : -1;
    const std::optional<int> predicted = predictedOf(image);
    const bool isWrong = predicted && *predicted != predictions_->labels[index];
    if (label_ >= 0 && label != label_) continue;
    if (filter_ == PredictionFilter::wrong && !isWrong) continue;
    if (filter_ == PredictionFilter::right && (!predicted || isWrong)) continue;
    shown.push_back({.index = image,
                     .caption = isWrong    ? u"→ "_s + nameOf(*predicted)
                                : hasClass ? nameOf(label)
                                           : roundedText(images_->numbers[index * width]),
                     .verdict = !predicted ? Verdict::none
                                : isWrong  ? Verdict::wrong
                                           : Verdict::right});
  }
  if (hasNoImages()) {
    grid_->setPlaceholder(lackingText(split_));
  } else if (!images_) {
    grid_->setPlaceholder(problem_.isEmpty() ? u"Loading the images …"_s : problem_);
  } else {
    grid_->setPlaceholder(
        isClassifying_  ? u"The network classifies the images …"_s
        : offersScore() ? u"This needs predictions for the test images. They score the test set, "
                          "which is counted in the run's record."_s
                        : u"No matching images."_s);
  }
  score_->setVisible(offersScore());
  grid_->setImages(images_, std::move(shown));
  grid_->setCurrentImage(current_);
  showCount();
}

void ImagePicker::showCount() {
  status_->setToolTip(pictureName_);
  if (!pictureName_.isEmpty()) {
    const QFontMetrics metrics = status_->fontMetrics();
    const int space = metrics.averageCharWidth() * kNameLetters;
    status_->setText(
        u"Own picture: %1"_s.arg(metrics.elidedText(pictureName_, Qt::ElideMiddle, space)));
    return;
  }
  status_->setText(
      images_ ? u"%1 of %2"_s.arg(countText(grid_->shown().size()), countText(images_->count()))
              : QString());
}

void ImagePicker::chooseFilter(PredictionFilter filter) {
  setFilter(filter);
  const bool mayScore = split_ != Split::test || !readStudioSettings().asksBeforeTestScore;
  if (!hasNoImages() && lacksPredictions() && mayScore) Q_EMIT predictionsRequested();
}

bool ImagePicker::lacksPredictions() const {
  const bool areKnown = predictions_ && predictions_->split == split_;
  return filter_ != PredictionFilter::all && !areKnown && !isClassifying_;
}

bool ImagePicker::offersScore() const {
  return !hasNoImages() && lacksPredictions() && split_ == Split::test && isPredictable_;
}

bool ImagePicker::hasNoImages() const {
  return lacks(split_) || (images_ && images_->count() == 0);
}

void ImagePicker::setFilter(PredictionFilter filter) {
  filter_ = filter;
  filters_->setCurrentIndex(static_cast<int>(filter));
  fill();
}

void ImagePicker::setClass(int label) {
  label_ = label;
  classes_->setCurrentIndex(label + 1);
  fill();
}

void ImagePicker::step(int by) {
  const std::vector<GridImage>& shown = grid_->shown();
  if (shown.empty()) return;
  const auto found = std::find_if(shown.begin(), shown.end(), [this](const GridImage& image) {
    return image.index == current_;
  });
  const int last = static_cast<int>(shown.size()) - 1;
  // From an image that is not among the shown ones: to the next shown one.
  const int place =
      found != shown.end()
          ? std::clamp(static_cast<int>(found - shown.begin()) + by, 0, last)
          : std::clamp(static_cast<int>(std::lower_bound(shown.begin(),
                                                         shown.end(),
                                                         current_,
                                                         [](const GridImage& image, int index) {
                                                           return image.index < index;
                                                         }) -
                                        shown.begin()) -
                           (by < 0 ? 1 : 0),
                       0,
                       last);
  const int image = shown[static_cast<std::size_t>(place)].index;
  if (image != current_) Q_EMIT imageChosen(image);
}

void ImagePicker::chooseRandom() {
  const std::vector<GridImage>& shown = grid_->shown();
  if (shown.empty()) return;
  const auto place = QRandomGenerator::global()->bounded(static_cast<quint32>(shown.size()));
  Q_EMIT imageChosen(shown[place].index);
}

}  // namespace lambda
