#include "app/runs/panels/confusion/cell_images.h"

#include <utility>
#include <vector>

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/runs/compare/confused_images.h"
#include "widgets/pictures/images/image_grid.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kThumbnailSide = 56;

}  // namespace

CellImages::CellImages(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(this)),
      grid_(new ImageGrid(ImageGrid::Arrangement::rows, this)),
      text_(new QLabel(this)),
      inspect_(new QPushButton(u"Inspect it"_s, this)) {
  title_->setWordWrap(true);
  title_->setTextFormat(Qt::PlainText);
  updateSizes();
  text_->setProperty(kRole, u"secondary"_s);
  text_->setWordWrap(true);
  text_->setTextFormat(Qt::PlainText);
  inspect_->setToolTip(u"Open this image in Inspect: contributions of every pixel"_s);
  auto* foot = new QHBoxLayout;
  foot->addWidget(text_, 1);
  foot->addWidget(inspect_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 0, 0, 0);
  column->addWidget(title_);
  column->addWidget(grid_, 1);
  column->addLayout(foot);
  connect(grid_, &ImageGrid::imageActivated, this, &CellImages::describe);
  connect(inspect_, &QPushButton::clicked, this, [this] {
    if (grid_->currentImage() >= 0) Q_EMIT inspectClicked(grid_->currentImage());
  });
  onFontChange(*this, [this] { updateSizes(); });
}

void CellImages::setContent(std::shared_ptr<const Predictions> predictions,
                            std::shared_ptr<const LabeledImages> images,
                            std::optional<Cell> cell,
                            const QString& sentence) {
  predictions_ = std::move(predictions);
  const std::vector<int> chosen =
      cell ? imagesIn(*predictions_, *cell) : wrongImages(*predictions_);
  title_->setText(
      cell ? u"%1, the most confident first"_s.arg(sentence)
           : u"All %1 wrong predictions, the most confident first"_s.arg(countText(chosen.size())));
  std::vector<GridImage> shown;
  for (const int image : chosen) {
    const auto at = static_cast<std::size_t>(image);
    if (!images || at >= images->count()) continue;
    const bool isRight = predictions_->labels[at] == predictions_->predicted[at];
    shown.push_back({image,
                     percentText(predictions_->confidence[at], 0),
                     isRight ? Verdict::right : Verdict::wrong});
  }
  grid_->setPlaceholder(images ? u"No images"_s : u"Reading the images …"_s);
  grid_->setImages(std::move(images), std::move(shown));
  describe(grid_->currentImage());
}

void CellImages::setProblem(const QString& reason) {
  grid_->setPlaceholder(reason);
}

void CellImages::updateSizes() {
  grid_->setThumbnailSide(qRound(kThumbnailSide * textScale()));
}

void CellImages::describe(int image) {
  const bool isChosen = predictions_ && image >= 0;
  inspect_->setEnabled(isChosen);
  text_->setText(isChosen ? describeImage(*predictions_, image)
                          : u"Choose an image to see its prediction."_s);
}

}  // namespace lambda
