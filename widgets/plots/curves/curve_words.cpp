#include "widgets/plots/curves/curve_words.h"

#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"
#include "widgets/plots/axes/axis_text.h"
#include "widgets/plots/curves/curve_readout.h"
#include "widgets/plots/curves/curve_scene.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString& panelTitle(const CurveScene& scene, int panel) {
  return scene.panels()[static_cast<std::size_t>(panel)].options.title;
}

}  // namespace

QString curvesAsCsv(const CurveScene& scene) {
  if (!scene.hasPoints()) return {};
  std::string text = "series,panel,step,epoch,seconds,value,smoothed\n";
  for (const CurveScene::Series& series : scene.series()) {
    const CurveSamples& samples = series.history.samples();
    const QString names = csvField(QString::fromStdString(series.options.label)) + u',' +
                          csvField(panelTitle(scene, series.options.panel)) + u',';
    const std::string begin = names.toStdString();
    for (std::size_t i = 0; i < samples.y.size(); ++i) {
      const auto cell = [&](const std::vector<double>& values) {
        return i < values.size() ? formatNumber(values[i]) : std::string();
      };
      text += begin + cell(samples.step) + ',' + cell(samples.epoch) + ',' + cell(samples.seconds) +
              ',' + cell(samples.y) + ',' + formatNumber(series.history.smoothedValues()[i]) + '\n';
    }
  }
  return QString::fromStdString(text);
}

QStringList curveLines(const CurveScene& scene) {
  QStringList lines;
  for (const ReadoutRow& row : readoutRows(scene, scene.xRange().second)) {
    lines << panelTitle(scene, row.panel) + u" "_s + row.label + u" "_s +
                 valueText(row.value, row.percent);
  }
  return lines;
}

QString curvesAsText(const CurveScene& scene) {
  QStringList parts = curveLines(scene);
  if (!parts.isEmpty()) parts.prepend(placeText(scene.axis(), scene.xRange().second));
  return parts.join(u", "_s);
}

}  // namespace lambda
