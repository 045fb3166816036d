#include "app/runs/networks/networks_panel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <QCheckBox>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/panels/choice_bar.h"
#include "app/runs/panels/library_notice.h"
#include "widgets/export/export_menu.h"
#include "widgets/pictures/explanation.h"
#include "widgets/plots/scatter/scatter_plot.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/flow_layout.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

namespace fs = std::filesystem;

constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();

const QString kTableKey = u"networksTable"_s;
const QString kMeasureKey = u"networksMeasure"_s;
const QString kLogarithmicParametersKey = u"networksLogarithmic"_s;

double millisecondsOf(const std::optional<double>& imagesPerSecond) {
  return imagesPerSecond ? 1000 / *imagesPerSecond : kNotMeasured;
}

/// A quantity of the vertical axis.
struct Measure {
  const char16_t* choice;
  const char16_t* title;
  ValueUnit unit;
  Better better;
  double (*valueOf)(const NetworkTableRow& row);
};

constexpr std::array kMeasures{
    Measure{u"Accuracy",
            u"Accuracy",
            ValueUnit::percent,
            Better::higher,
            [](const NetworkTableRow& row) { return row.accuracy.value_or(kNotMeasured); }},
    Measure{u"FLOPs",
            u"FLOPs of one image, forward",
            ValueUnit::count,
            Better::lower,
            [](const NetworkTableRow& row) { return row.flops.value_or(kNotMeasured); }},
    Measure{u"Forward time",
            u"Forward time of one image (ms)",
            ValueUnit::number,
            Better::lower,
            [](const NetworkTableRow& row) { return millisecondsOf(row.forwardImagesPerSecond); }},
    Measure{u"Training time",
            u"Training time of one image (ms)",
            ValueUnit::number,
            Better::lower,
            [](const NetworkTableRow& row) { return millisecondsOf(row.trainingImagesPerSecond); }},
};

QStringList choicesOf() {
  QStringList choices;
  for (const Measure& measure : kMeasures) choices << QString::fromUtf16(measure.choice);
  return choices;
}

ExplanationText explanation(const ScatterPlot& plot, Better better) {
  ExplanationText text;
  text.title = u"Which network for how many parameters?"_s;
  text.body =
      u"Each point is a network. %1 The dashed line joins the networks that no other beats "
      "in both (the Pareto front).<br><br>"
      "FLOPs are counted: a multiply-add is two. Times are measured, with the device, the "
      "threads and the batch that the table names; compare them within one table only."_s.arg(
          better == Better::higher
              ? u"The higher, the more accurate it is; the further left, the fewer "
                "parameters it has."_s
              : u"The lower, the cheaper it is; the further left, the fewer "
                "parameters it has."_s);
  const auto isMeasured = [](const ScatterPoint& point) { return std::isfinite(point.y); };
  text.numbers = {
      {u"Networks shown"_s, countText(std::ranges::count_if(plot.points(), isMeasured))},
      {u"On the front"_s, countText(paretoFront(plot.points(), {.y = better}).size())}};
  return text;
}

}  // namespace

NetworksPanel::NetworksPanel(const RunsContext& /*context*/)
    : measure_(new ChoiceBar(choicesOf(), u"Measure"_s, this)),
      logarithmic_(new QCheckBox(u"Logarithmic"_s, this)),
      name_(new QLabel(this)),
      problem_(new QLabel(this)),
      stack_(new QStackedWidget(this)),
      empty_(new LibraryNotice),
      plot_(new ScatterPlot),
      reading_(*this) {
  measure_->setCurrent(1);
  logarithmic_->setChecked(true);
  logarithmic_->setToolTip(u"Equal distances are equal factors, for parameters and costs"_s);
  plot_->setAccessibleName(u"Scatter of networks"_s);
  plot_->setExportName(u"networks"_s);
  name_->setProperty(kRole, u"secondary"_s);
  name_->setTextFormat(Qt::PlainText);
  problem_->setProperty(kRole, u"error"_s);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setWordWrap(true);
  problem_->hide();
  auto* other = new QPushButton(u"Open a table …"_s, this);
  other->setToolTip(u"A table that \"lambda bench networks --csv FILE\" wrote"_s);
  empty_->setContent(
      u"Compare networks"_s,
      u"Measure them on this machine, for example with \"lambda bench networks resnet50-cifar "
      "resnet50-cifar-ccll --csv networks.csv\", and open the table here. A column \"accuracy\" "
      "with results from elsewhere is drawn too."_s,
      {{u"Open a table …"_s, [this] { chooseTable(); }}});
  stack_->addWidget(empty_);
  stack_->addWidget(plot_);

  auto* row = new FlowLayout(spacing::kGap);
  row->addWidget(measure_);
  auto* against = new QLabel(u"against parameters"_s, this);
  against->setProperty(kRole, u"secondary"_s);
  row->addWidget(against);
  row->addWidget(logarithmic_);
  row->addWidget(other);
  row->addWidget(name_);
  row->beginRight();
  row->addWidget(makeExplanationButton(*this, [this] {
    return explanation(*plot_, kMeasures[static_cast<std::size_t>(measure_->current())].better);
  }));
  row->addWidget(makeExportButton(*plot_, *plot_));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  column->setSpacing(4);
  column->addLayout(row);
  column->addWidget(problem_);
  column->addWidget(stack_, 1);

  connect(other, &QPushButton::clicked, this, &NetworksPanel::chooseTable);
  connect(measure_, &ChoiceBar::chosen, this, &NetworksPanel::refresh);
  connect(logarithmic_, &QCheckBox::toggled, this, &NetworksPanel::refresh);
}

void NetworksPanel::chooseTable() {
  auto* dialog = new QFileDialog(this, u"Open a table of networks"_s, toText(path_.parent_path()));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  dialog->setNameFilters({u"Tables (*.csv)"_s, u"All files (*)"_s});
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& path) {
    open(toPath(path));
  });
  dialog->open();
}

void NetworksPanel::open(const fs::path& table) {
  struct Answer {
    std::vector<NetworkTableRow> rows;
    QString problem;
  };

  wanted_.clear();
  reading_.runNewest(
      [table]() -> Answer {
        try {
          return {readNetworkTable(table), {}};
        } catch (const std::exception& error) {
          return {{}, QString::fromUtf8(error.what())};
        }
      },
      [this, table](Answer answer) {
        if (answer.problem.isEmpty()) {
          show(table, std::move(answer.rows));
        } else {
          refuse(answer.problem);
        }
      });
}

void NetworksPanel::show(const fs::path& path, std::vector<NetworkTableRow> rows) {
  path_ = path;
  rows_ = std::move(rows);
  problem_->hide();
  name_->setText(oneLine(toText(path.filename())));
  name_->setToolTip(toolTipText(toText(path)));
  stack_->setCurrentWidget(plot_);
  plot_->setSelected({});
  refresh();
}

void NetworksPanel::refuse(const QString& reason) {
  problem_->setText(u"Could not open the table. %1"_s.arg(oneLine(reason)));
  problem_->setToolTip(toolTipText(reason));
  problem_->show();
}

void NetworksPanel::refresh() {
  const Measure& measure = kMeasures[static_cast<std::size_t>(measure_->current())];
  std::vector<ScatterPoint> points;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    points.push_back({.key = std::to_string(i),
                      .name = oneLine(QString::fromStdString(rows_[i].network)),
                      .x = rows_[i].parameters,
                      .y = measure.valueOf(rows_[i]),
                      .colorIndex = static_cast<int>(i)});
  }
  const QString title = QString::fromUtf16(measure.title);
  plot_->setAxes(
      {u"Parameters"_s, ValueUnit::count, logarithmic_->isChecked()},
      {title, measure.unit, logarithmic_->isChecked() && measure.better == Better::lower},
      {.y = measure.better});
  plot_->setEmptyText(u"The table has no column with this measure, or its cells are empty."_s);
  plot_->setPoints(std::move(points));
}

void NetworksPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  openWanted();
}

void NetworksPanel::openWanted() {
  if (!wanted_.empty() && isVisible()) open(fs::path(wanted_));
}

void NetworksPanel::saveLayout(QSettings& settings) const {
  settings.setValue(kTableKey, toText(path_));
  settings.setValue(kMeasureKey, measure_->current());
  settings.setValue(kLogarithmicParametersKey, logarithmic_->isChecked());
}

void NetworksPanel::restoreLayout(QSettings& settings) {
  path_ = wanted_ = toPath(settings.value(kTableKey).toString());
  measure_->setCurrent(settings.value(kMeasureKey, measure_->current()).toInt());
  logarithmic_->setChecked(settings.value(kLogarithmicParametersKey, true).toBool());
  openWanted();
}

}  // namespace lambda
