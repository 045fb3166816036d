#include "app/inspect/panels/lambda_panel.h"

#include <array>
#include <utility>

#include <QAction>
#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QSettings>
#include <QToolButton>

#include "app/inspect/panels/panel_parts.h"
#include "engine/values/inspection/contribution_maps.h"
#include "widgets/equations/equation_view.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/plots/lines/effective_rank.h"
#include "widgets/plots/lines/spectrum_view.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Least heights of the sum, its parts and the singular values, at the usual size of text, at which
/// their cells can be told apart.
constexpr std::array kLeastHeights{144, 100, 96};
constexpr std::array kPictureRows{2, 3, 5};  // their rows of the grid

// Columns of the grid for tall matrices. The total takes more, since it has axes and a colour bar.
constexpr int kTotalColumns = 10;
constexpr int kPartColumns = 6;
constexpr int kColumns = kTotalColumns + 2 * kPartColumns;

/// A spectrum for each head that has a lambda of its own; none of an empty array.
std::vector<Spectrum> setsOf(const Array& values, const QString& name) {
  if (values.empty()) return {};
  if (values.shape.size() == 1) return {{name, values.values}};
  std::vector<Spectrum> spectra;
  const auto size = static_cast<std::ptrdiff_t>(values.shape.back());
  for (std::int64_t head = 0; head < values.shape.front(); ++head) {
    const auto first = values.values.begin() + head * size;
    spectra.push_back({u"%1, head %2"_s.arg(name).arg(head), {first, first + size}});
  }
  return spectra;
}

/// All parts of a single lambda; of several heads' lambdas only the totals can be told apart.
std::vector<Spectrum> spectraOf(const LambdaParts& parts) {
  if (parts.total.shape.size() > 1) return setsOf(parts.total, u"total"_s);
  return {{u"content"_s, parts.content.values},
          {u"position"_s, parts.position.values},
          {u"total"_s, parts.total.values}};
}

Equation lambdaEquation(const InspectableLayer& layer) {
  return {
      .formulas =
          {u"\\lambda_n = \\sum_m (\\bar{k}_m + e_{nm}) v_m^T = \\underbrace{\\bar{K}^T V}"
           u"{content lambda} + \\underbrace{E_n^T V}{position lambda} \\in \\R^{k \\times v}"_s},
      .number = u"(1)"_s,
      .source = u"Equation 1 of the paper"_s,
      .explanation =
          u"Each position n gets one small matrix: the values v of all positions m, weighted by "
          "their keys and by where they lie."_s,
      .letters = layer.queryDepth > 0 ? lettersOf(layer) : QString()};
}

}  // namespace

LambdaPanel::LambdaPanel(QWidget* parent)
    : InspectPanel(parent),
      oneScale_(new QCheckBox(u"One scale"_s)),
      lock_(new QCheckBox(u"Lock scale"_s)),
      total_(new HeatmapView),
      content_(new HeatmapView),
      position_(new HeatmapView),
      spectrum_(new SpectrumView) {
  oneScale_->setChecked(true);
  oneScale_->setToolTip(u"Colours mean the same in all three matrices"_s);
  lock_->setToolTip(u"Keep the scale while you move over the image (L)"_s);
  for (HeatmapView* view : {content_, position_}) {
    view->setColorBarVisible(false);
    view->setReadoutVisible(false);
  }
  auto* header = new QHBoxLayout;
  header->setSpacing(12);
  header->addWidget(oneScale_);
  header->addWidget(lock_);
  header->addStretch();
  header->addWidget(makeExplanationButton(*this, [this] { return explanation(); }));
  equation_ = addEquation(lambdaEquation({}));
  EquationView* spectrumEquation = addEquation(
      {.formulas = {u"\\lambda_n = \\sum_i \\sigma_i a_i b_i^T"_s,
                    u"\\sigma_1 \\ge \\sigma_2 \\ge \\ldots \\ge 0"_s},
       .number = {},
       .source = u"Singular values of λ"_s,
       .explanation = u"A lambda with few large singular values σ passes on few directions of "
                      "the query; the effective rank counts them."_s,
       .letters = {}},
      false);
  auto* spectrumRow = new QHBoxLayout;
  spectrumRow->setSpacing(0);
  spectrumRow->addWidget(spectrum_, 1);
  spectrumRow->addWidget(makeExportButton(*spectrum_, *spectrum_), 0, Qt::AlignTop);

  auto* grid = grid_ = new QGridLayout(this);
  grid->setContentsMargins(12, 8, 8, 8);
  grid->setHorizontalSpacing(4);
  grid->setVerticalSpacing(8);
  grid->addLayout(header, 0, 0, 1, kColumns);
  grid->addWidget(equation_, 1, 0, 1, kColumns);
  grid->addWidget(spectrumEquation, 4, 0, 1, kColumns);
  grid->addLayout(spectrumRow, 5, 0, 1, kColumns);
  grid->setRowStretch(5, 6);
  for (int i = 0; i < kColumns; ++i) grid->setColumnStretch(i, 1);
  for (HeatmapView* view : {total_, content_, position_}) matrices_.push_back(withExport(*view));
  arrange();
  lockScale_ = makePageAction(
      *this, u"Lock the lambda's scale"_s, Qt::Key_L, u"Keep the scale while you move"_s);
  lockScale_->setCheckable(true);
  connect(lockScale_, &QAction::toggled, this, &LambdaPanel::setLocked);
  connect(oneScale_, &QCheckBox::toggled, this, &LambdaPanel::updateRanges);
  connect(lock_, &QCheckBox::toggled, this, [this](bool locked) {
    for (HeatmapView* view : {total_, content_, position_}) view->setRangeLocked(locked);
    lockScale_->setChecked(locked);
    updateRanges();
  });
  updateViews();
  onFontChange(*this, [this] { fitToText(); });
}

void LambdaPanel::arrange() {
  QWidget* total = matrices_[0];
  QWidget* content = matrices_[1];
  QWidget* position = matrices_[2];
  // Tall matrices side by side, wide ones below each other, so that they fill the panel.
  if (areTall_) {
    grid_->addWidget(total, 2, 0, 1, kTotalColumns);
    grid_->addWidget(content, 2, kTotalColumns, 1, kPartColumns);
    grid_->addWidget(position, 2, kTotalColumns + kPartColumns, 1, kPartColumns);
  } else {
    grid_->addWidget(total, 2, 0, 1, kColumns);
    grid_->addWidget(content, 3, 0, 1, kColumns / 2);
    grid_->addWidget(position, 3, kColumns / 2, 1, kColumns / 2);
  }
  grid_->setRowStretch(2, areTall_ ? 16 : 10);
  grid_->setRowStretch(3, areTall_ ? 0 : 6);
  fitToText();
}

void LambdaPanel::fitToText() {
  for (std::size_t i = 0; i < kPictureRows.size(); ++i) {
    const int least = areTall_ && i == 1 ? 0 : kLeastHeights[i];
    grid_->setRowMinimumHeight(kPictureRows[i], qRound(least * textScale()));
  }
}

void LambdaPanel::showState(const PanelState& state) {
  snapshot_ = state.snapshot;
  scale_ = state.scales.lambda;
  if (snapshot_) {
    equation_->setEquation(lambdaEquation(snapshot_->layer));
    const bool areTall = snapshot_->layer.lambdaRows() > snapshot_->layer.valueDepth;
    if (areTall != std::exchange(areTall_, areTall)) arrange();
  }
  updateViews();
}

std::vector<const Exportable*> LambdaPanel::exports() const {
  return {total_, content_, position_, spectrum_};
}

QList<QAction*> LambdaPanel::panelActions() const {
  return {lockScale_};
}

void LambdaPanel::saveLayout(QSettings& settings) const {
  InspectPanel::saveLayout(settings);
  settings.setValue(u"oneScale"_s, isOneScale());
}

void LambdaPanel::restoreLayout(QSettings& settings) {
  InspectPanel::restoreLayout(settings);
  setOneScale(settings.value(u"oneScale"_s, true).toBool());
}

bool LambdaPanel::isOneScale() const {
  return oneScale_->isChecked();
}

void LambdaPanel::setOneScale(bool one) {
  oneScale_->setChecked(one);
}

bool LambdaPanel::isLocked() const {
  return lock_->isChecked();
}

void LambdaPanel::setLocked(bool locked) {
  lock_->setChecked(locked);
}

void LambdaPanel::updateViews() {
  const InspectionSnapshot none;
  const InspectionSnapshot& s = snapshot_ ? *snapshot_ : none;
  const QString noLayer = u"Nothing to show yet."_s;
  total_->setPlaceholder(noLayer);
  content_->setPlaceholder(snapshot_ ? u"This layer has no content lambda."_s : noLayer);
  position_->setPlaceholder(snapshot_ ? u"This layer has no position lambda."_s : noLayer);
  total_->setData(lambdaData(s, s.lambdas.total, u"total"_s, {}));
  // Their axes are those of the matrix above them, so that the cells get the space.
  const auto withoutNames = [](HeatmapData heat) {
    heat.rows.isNumbered = heat.columns.isNumbered = false;
    return heat;
  };
  content_->setData(withoutNames(lambdaData(s, s.lambdas.content, u"content"_s, {})));
  position_->setData(withoutNames(lambdaData(s, s.lambdas.position, u"position"_s, {})));
  spectrum_->setExportName(exportStem(s, u"singular-values"_s));
  spectrum_->setExportCaption(exportCaption(s, u"Singular values of the lambda matrices"_s));
  spectrum_->setSpectra(spectraOf(s.singularValues));
  updateRanges();
}

void LambdaPanel::updateRanges() {
  const InspectionSnapshot none;
  const LambdaParts& parts = snapshot_ ? snapshot_->lambdas : none.lambdas;
  std::optional<ColorRange> range;
  if (oneScale_->isChecked()) range = commonRange({&parts.total, &parts.content, &parts.position});
  if (scale_) range = ColorRange{-*scale_, *scale_};
  for (HeatmapView* view : {total_, content_, position_}) view->setRange(range);
  const auto title = [&](HeatmapView& view, const QString& part) {
    HeatmapData heat = view.data();
    const bool isOnItsOwn = !oneScale_->isChecked() && !heat.array.empty();
    heat.title = isOnItsOwn ? part + u"  ±"_s + numberText(view.range().high) : part;
    view.setData(std::move(heat));
  };
  title(*total_, u"λ total = content + position"_s);
  title(*content_, u"Content λ"_s);
  title(*position_, u"Position λ"_s);
}

ExplanationText LambdaPanel::explanation() const {
  ExplanationText text{
      .title = u"The lambda of one position"_s,
      .formula = {},
      .body =
          u"A lambda layer sums the whole image into one small matrix for each position n "
          "and multiplies the position's query with it. The content part is the same for "
          "all positions; the position part differs between positions. Rows are the "
          "k query channels, columns the v value channels."_s,
      .numbers = {}};
  if (!snapshot_ || snapshot_->lambdas.total.shape.size() != 2) return text;
  const InspectionSnapshot& s = *snapshot_;
  text.numbers = {
      {u"Position n"_s, u"row %1, column %2"_s.arg(s.queryRow).arg(s.queryColumn)},
      {u"Size k × v"_s, u"%1 × %2"_s.arg(s.lambdas.total.shape[0]).arg(s.lambdas.total.shape[1])},
      {u"Norm of the content part"_s, numberText(norm(s.lambdas.content.values))},
      {u"Norm of the position part"_s, numberText(norm(s.lambdas.position.values))},
      {u"Norm of λ"_s, numberText(norm(s.lambdas.total.values))}};
  const std::vector<Spectrum> totals = setsOf(s.singularValues.total, u"λ"_s);
  for (const Spectrum& each : totals) {
    text.numbers.emplace_back(u"Effective rank of %1"_s.arg(each.name),
                              numberText(effectiveRank(each.values)));
  }
  return text;
}

}  // namespace lambda
