#include "app/histograms/histograms_panel.h"

#include <algorithm>
#include <utility>

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/formats/metrics/histograms_json.h"
#include "engine/runtime/error.h"
#include "widgets/export/export_menu.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kShortestLayer = 12;  // Characters of its name that are shown at least.
constexpr std::chrono::milliseconds kReadInterval{1000};

struct KindText {
  HistogramKind kind;
  const char* name;
  const char* quantity;
};

constexpr KindText kKindTexts[] = {
    {HistogramKind::weights, "Weights", "weight"},
    {HistogramKind::gradients, "Gradients", "gradient of a batch"},
    {HistogramKind::activations, "Activations", "output of the layer"},
    {HistogramKind::lambdaNorms, "Lambda norms", "norm of a lambda matrix"},
    {HistogramKind::contentNorms, "Content lambda norms", "norm of a content lambda"},
    {HistogramKind::positionNorms, "Position lambda norms", "norm of a position lambda"},
};

QToolButton* toggle(QWidget* parent, const QString& text, const QString& meaning) {
  auto* button = new QToolButton(parent);
  button->setText(text);
  button->setToolTip(meaning);
  button->setCheckable(true);
  button->setProperty(kRole, u"quiet"_s);
  return button;
}

}  // namespace

/// The file of a run, read by one task at a time.
struct HistogramsPanel::Followed {
  explicit Followed(const std::filesystem::path& file) : tail(file) {}

  HistogramsTail tail;
};

struct HistogramsPanel::News {
  bool restarted = false;
  std::vector<Record> records;
  QString problem;
};

HistogramsPanel::HistogramsPanel(QWidget* parent) : Panel(parent), tasks_(*this) {
  plot_ = new HistogramPlot(this);
  readout_ = new ElidedLabel(this);
  readout_->setProperty(kRole, u"secondary"_s);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(spacing::kMargin, spacing::kGap, spacing::kGap, spacing::kGap);
  column->setSpacing(spacing::kGap);
  column->addWidget(makeChoices());
  column->addWidget(makeForms());
  column->addWidget(plot_, 1);
  column->addWidget(readout_);
  connect(plot_, &HistogramPlot::readoutChanged, readout_, &ElidedLabel::setText);
  timer_.setInterval(kReadInterval);
  connect(&timer_, &QTimer::timeout, this, &HistogramsPanel::read);
  begin();
}

void HistogramsPanel::setSource(const HistogramSource& source, const QString& textWithoutRun) {
  if (source == source_ && textWithoutRun == textWithoutRun_) return;
  const bool isOther = source.run != source_.run;
  source_ = source;
  textWithoutRun_ = textWithoutRun;
  if (isOther) return begin();
  showHistograms();
  read();
}

// ---- making ----

QWidget* HistogramsPanel::makeChoices() {
  auto* holder = new QWidget(this);
  layers_ = new QComboBox(holder);
  layers_->setAccessibleName(u"Layer"_s);
  layers_->setToolTip(u"The layer whose values are shown"_s);
  layers_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  layers_->setMinimumContentsLength(kShortestLayer);
  layers_->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
  kinds_ = new QComboBox(holder);
  kinds_->setAccessibleName(u"Kind of values"_s);
  kinds_->setToolTip(
      u"Weights without biases and norms; gradients of one batch before clipping; outputs of "
      "the layer for some images of the batch; Frobenius norms of the lambda matrices of some "
      "images at nine pixels"_s);
  for (const KindText& each : kKindTexts) kinds_->addItem(QString::fromLatin1(each.name));
  auto* row = makeBareLayout<QHBoxLayout>(holder, spacing::kGap);
  row->addWidget(layers_);
  row->addWidget(kinds_);
  row->addStretch();
  connect(kinds_, &QComboBox::currentIndexChanged, this, [this] {
    showChoices();
    showHistograms();
  });
  connect(layers_, &QComboBox::currentIndexChanged, this, &HistogramsPanel::showHistograms);
  return holder;
}

QWidget* HistogramsPanel::makeForms() {
  auto* holder = new QWidget(this);
  auto* row = makeBareLayout<QHBoxLayout>(holder, 2);
  forms_ = new QButtonGroup(this);
  QToolButton* heatmap =
      toggle(holder, u"Heat map"_s, u"Steps from left to right, the share of values as colour"_s);
  QToolButton* ridges =
      toggle(holder, u"Ridges"_s, u"A curve for some of the steps, the newest in front"_s);
  heatmap->setChecked(true);
  forms_->addButton(heatmap, static_cast<int>(HistogramForm::heatmap));
  forms_->addButton(ridges, static_cast<int>(HistogramForm::ridges));
  logarithmic_ = toggle(holder,
                        u"Log"_s,
                        u"Logarithmic axis of values, in both directions from 0: for gradients "
                        "whose size changes"_s);
  quantiles_ = toggle(
      holder, u"Quantiles"_s, u"Lines below which 5, 25, 50, 75 and 95 % of the values lie"_s);
  quantiles_->setChecked(true);
  row->addWidget(heatmap);
  row->addWidget(ridges);
  row->addStretch();
  row->addWidget(quantiles_);
  row->addWidget(logarithmic_);
  row->addWidget(makeExportButton(*plot_, *plot_));
  connect(forms_, &QButtonGroup::idClicked, this, [this](int id) {
    plot_->setForm(static_cast<HistogramForm>(id));
    quantiles_->setEnabled(id == static_cast<int>(HistogramForm::heatmap));
  });
  connect(logarithmic_, &QToolButton::toggled, plot_, &HistogramPlot::setLogarithmic);
  connect(quantiles_, &QToolButton::toggled, plot_, &HistogramPlot::setQuantilesVisible);
  return holder;
}

// ---- reading ----

void HistogramsPanel::begin() {
  tasks_.cancel();
  isReading_ = false;
  problem_.clear();
  records_.clear();
  followed_ =
      source_.run.empty() ? nullptr : std::make_shared<Followed>(source_.run / "histograms.jsonl");
  showChoices();
  showHistograms();
  read();
}

void HistogramsPanel::read() {
  if (!followed_ || isReading_ || !isVisible()) return;
  isReading_ = true;
  tasks_.run(
      [followed = followed_] {
        News news;
        try {
          HistogramsTail::Update update = followed->tail.poll();
          news.restarted = update.restarted;
          for (HistogramRecord& each : update.records) {
            news.records.push_back(std::make_shared<const HistogramRecord>(std::move(each)));
          }
        } catch (const Error& error) {
          news.problem = QString::fromStdString(error.what());
        }
        return news;
      },
      [this](News news) { take(std::move(news)); });
}

void HistogramsPanel::take(News news) {
  isReading_ = false;
  const bool isSame = !news.restarted && news.records.empty() && news.problem == problem_;
  if (isSame) return;
  problem_ = news.problem;
  if (news.restarted) records_.clear();
  records_.insert(records_.end(), news.records.begin(), news.records.end());
  showChoices();
  showHistograms();
}

// ---- showing ----

HistogramKind HistogramsPanel::kind() const {
  return kKindTexts[static_cast<std::size_t>(std::max(kinds_->currentIndex(), 0))].kind;
}

/// Offers the layers that have values of the chosen kind, and keeps the chosen layer if it can.
void HistogramsPanel::showChoices() {
  QStringList names;
  if (!records_.empty()) {
    for (const LayerHistogram& each : records_.back()->layers) {
      if (each.kind == kind()) names << QString::fromStdString(each.layer);
    }
  }
  QStringList shown;
  for (int i = 0; i < layers_->count(); ++i) shown << layers_->itemText(i);
  if (shown == names) return;
  const QSignalBlocker blocker(layers_);
  const QString before = layers_->currentText();
  layers_->clear();
  layers_->addItems(names);
  layers_->setCurrentIndex(std::max(0, static_cast<int>(names.indexOf(before))));
  layers_->setEnabled(!names.empty());
}

void HistogramsPanel::showHistograms() {
  const std::string layer = layers_->currentText().toStdString();
  std::vector<HistogramColumn> columns;
  for (const Record& record : records_) {
    const auto found = std::ranges::find_if(record->layers, [&](const LayerHistogram& each) {
      return each.kind == kind() && each.layer == layer;
    });
    if (found == record->layers.end()) continue;
    // Of a step that was recorded again after a rewind, the later record holds.
    while (!columns.empty() && columns.back().step >= record->step) columns.pop_back();
    columns.push_back({record->step, {record, &found->histogram}});
  }
  const KindText& text = kKindTexts[static_cast<std::size_t>(std::max(kinds_->currentIndex(), 0))];
  const QString name = QString::fromStdString(layer);
  plot_->setEmptyText(emptyText());
  plot_->setExportName(name + u'-' + QString::fromUtf8(nameOf(kind())) + u"-histograms"_s);
  plot_->setHistograms(name + u" · "_s + QString::fromLatin1(text.name),
                       QString::fromLatin1(text.quantity),
                       std::move(columns));
}

QString HistogramsPanel::emptyText() const {
  if (!problem_.isEmpty()) return u"Could not read the histograms: %1"_s.arg(problem_);
  if (!followed_) return textWithoutRun_;
  if (!source_.isRecorded) {
    return u"This run records no histograms. Switch on \"Record histograms\" in the recipe of "
           "the next one."_s;
  }
  if (!records_.empty()) return u"This network has no layer with such values."_s;
  return source_.isTraining ? u"The first histograms appear with the first batch."_s
                            : u"This run has recorded no histograms."_s;
}

// ---- events ----

void HistogramsPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  timer_.start();
  read();
}

void HistogramsPanel::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  timer_.stop();
}

void HistogramsPanel::saveLayout(QSettings& settings) const {
  settings.setValue(u"histogramKind"_s, kinds_->currentIndex());
  settings.setValue(u"histogramForm"_s, forms_->checkedId());
  settings.setValue(u"histogramLog"_s, logarithmic_->isChecked());
  settings.setValue(u"histogramQuantiles"_s, quantiles_->isChecked());
}

void HistogramsPanel::restoreLayout(QSettings& settings) {
  const int kind = settings.value(u"histogramKind"_s, 0).toInt();
  kinds_->setCurrentIndex(std::clamp(kind, 0, kinds_->count() - 1));
  if (QAbstractButton* form = forms_->button(settings.value(u"histogramForm"_s, 0).toInt())) {
    form->click();
  }
  logarithmic_->setChecked(settings.value(u"histogramLog"_s, false).toBool());
  quantiles_->setChecked(settings.value(u"histogramQuantiles"_s, true).toBool());
}

}  // namespace lambda
