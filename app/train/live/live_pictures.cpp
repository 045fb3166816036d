#include "app/train/live/live_pictures.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/train/caption.h"
#include "app/train/live/live_explanations.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/explanation.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

// Embeddings begin as noise, so that their change is the first choice.
constexpr int kChange = 0;
constexpr int kLambdaHeight = 136;
constexpr int kTilesHeight = 160;

/// One of several views of the same data.
struct Choice {
  QString name;
  QString meaning;
};

QWidget* makeToggle(QButtonGroup& group, QWidget* parent, const QList<Choice>& choices) {
  auto* holder = new QWidget(parent);
  auto* row = makeBareLayout<QHBoxLayout>(holder, 0);
  for (int i = 0; i < choices.size(); ++i) {
    auto* button = new QToolButton(holder);
    button->setText(choices[i].name);
    button->setToolTip(choices[i].meaning);
    button->setCheckable(true);
    button->setChecked(i == 0);
    button->setProperty(kRole, u"quiet"_s);
    group.addButton(button, i);
    row->addWidget(button);
  }
  return holder;
}

/// A picture's name, its choice of views, and its buttons.
QHBoxLayout* makeHead(
    QWidget* parent, const QString& name, QWidget* toggle, QWidget* explain, QWidget* save) {
  auto* head = new QHBoxLayout;
  head->setSpacing(0);
  head->addWidget(makeCaption(parent, name));
  head->addSpacing(spacing::kGap);
  head->addWidget(toggle);
  head->addStretch();
  head->addWidget(explain);
  head->addWidget(save);
  return head;
}

HeatmapView* makeView(QWidget* parent, const QString& name) {
  auto* view = new HeatmapView(parent);
  view->setAccessibleName(name);
  view->setReadoutVisible(false);
  return view;
}

}  // namespace

LivePictures::LivePictures(QWidget* parent)
    : QWidget(parent), parts_(new QButtonGroup(this)), embeddings_(new QButtonGroup(this)) {
  column_ = makeBareLayout<QVBoxLayout>(this, spacing::kGap);
  makeLambda();
  makePositions();
  updateSizes();
  onFontChange(*this, [this] { updateSizes(); });
}

void LivePictures::updateSizes() {
  lambda_->setMinimumHeight(qRound(kLambdaHeight * textScale()));
  tiles_->setMinimumHeight(qRound(kTilesHeight * textScale()));
}

void LivePictures::makeLambda() {
  lambda_ = makeView(this, u"Lambda matrix"_s);
  lambda_->setStretched(true);
  lambda_->setPlaceholder(
      u"The lambda matrix is shown here while a network with a lambda layer is trained."_s);
  // In the order of the Tab key.
  QWidget* toggle =
      makeToggle(*parts_,
                 this,
                 {{u"All"_s, u"The parts beside each other, on one scale"_s},
                  {u"Total"_s, u"What the query is multiplied by: content plus position"_s},
                  {u"Content"_s, u"From the content of the whole image, the same at every pixel"_s},
                  {u"Position"_s, u"From the positions around the middle pixel"_s}});
  QWidget* explain =
      makeExplanationButton(*this, [this] { return lambdaExplanation(snapshot_.get()); });
  column_->addLayout(
      makeHead(this, u"Lambda"_s, toggle, explain, makeExportButton(*lambda_, *lambda_)));
  column_->addWidget(lambda_, 3);
  connect(parts_, &QButtonGroup::idClicked, this, [this](int id) {
    isPartChosen_ = true;
    setPart(static_cast<LambdaPart>(id));
  });
}

void LivePictures::makePositions() {
  tiles_ = makeView(this, u"Position embeddings"_s);
  QWidget* toggle = makeToggle(*embeddings_,
                               this,
                               {{u"Change"_s, u"What training has changed since the start"_s},
                                {u"Now"_s, u"As they are, with the initial noise"_s}});
  QWidget* explain =
      makeExplanationButton(*this, [this] { return positionExplanation(snapshot_.get()); });
  column_->addLayout(
      makeHead(this, u"Positions"_s, toggle, explain, makeExportButton(*tiles_, *tiles_)));
  column_->addWidget(tiles_, 4);
  connect(embeddings_, &QButtonGroup::idClicked, this, &LivePictures::showPicture);
}

void LivePictures::setPicture(std::shared_ptr<const LayerPicture> picture) {
  picture_ = std::move(picture);
  showPicture();
}

void LivePictures::setSnapshot(std::shared_ptr<const InspectionSnapshot> snapshot) {
  snapshot_ = std::move(snapshot);
  if (!snapshot_ || isPartChosen_) return;
  // Three wide matrices beside each other would be too small to read.
  const InspectableLayer& layer = snapshot_->layer;
  const LambdaPart fitting =
      layer.valueDepth > 2 * layer.lambdaRows() ? LambdaPart::total : LambdaPart::all;
  if (fitting != part()) setPart(fitting);
}

LambdaPart LivePictures::part() const {
  return static_cast<LambdaPart>(parts_->checkedId());
}

void LivePictures::setPart(LambdaPart part) {
  parts_->button(static_cast<int>(part))->setChecked(true);
  Q_EMIT partChanged(part);
  showPicture();
}

void LivePictures::showPicture() {
  if (!picture_) {
    lambda_->setData({});
    tiles_->setPlaceholder(u"The position embeddings are shown here during training."_s);
    tiles_->setData({});
    return;
  }
  lambda_->setData(lambdaHeatmap(*picture_, part()));
  const bool knowsChange = !picture_->change.empty();
  embeddings_->button(kChange)->setEnabled(knowsChange);
  embeddings_->button(kChange)->setToolTip(
      knowsChange ? u"What training has changed since the start"_s
                  : u"The embeddings at the start of this run are not known"_s);
  tiles_->setPlaceholder(u"This layer has no position embeddings."_s);
  tiles_->setData(embeddingHeatmap(*picture_, knowsChange && embeddings_->checkedId() == kChange));
}

void LivePictures::saveLayout(QSettings& settings) const {
  if (isPartChosen_) settings.setValue(u"part"_s, parts_->checkedId());
  settings.setValue(u"change"_s, embeddings_->checkedId());
}

void LivePictures::restoreLayout(QSettings& settings) {
  if (QAbstractButton* button = embeddings_->button(settings.value(u"change"_s, 0).toInt())) {
    button->setChecked(true);
  }
  isPartChosen_ = settings.contains(u"part"_s);
  const int part = settings.value(u"part"_s, 0).toInt();
  setPart(static_cast<LambdaPart>(parts_->button(part) ? part : 0));
}

}  // namespace lambda
