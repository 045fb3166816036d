#include "app/runs/run_cells.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include <QStringList>

#include "app/runs/path_text.h"
#include "app/runs/shown_text.h"
#include "widgets/pictures/number_text.h"
#include "widgets/plots/axis_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using Column = RunTableModel::Column;

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double orMissing(const std::optional<double>& value) {
  return value.value_or(kMissing);
}

double positive(double value) {
  return value > 0 ? value : kMissing;
}

QString deviceText(const Environment& environment) {
  if (environment.device != "cpu" || environment.threads <= 0) {
    return QString::fromStdString(environment.device);
  }
  return tr("CPU, %1").arg(countedText(environment.threads, tr("thread"), tr("threads")));
}

QString accuracyText(const std::optional<double>& accuracy) {
  return accuracy ? percentText(*accuracy, 2) : QString();
}

QString firstLine(const std::string& text) {
  return oneLine(QString::fromStdString(text.substr(0, text.find('\n'))));
}

struct Header {
  QString title;
  QString meaning;
};

const Header& headerOf(Column column) {
  static const std::array<Header, RunTableModel::kColumns> headers{{
      {QString(), tr("The curves of checked runs are compared, in their colours")},
      {tr("Name"), tr("The run's name")},
      {tr("Status"), tr("State of the run")},
      {tr("Architecture"),
       tr("One letter per stage: %1").arg(QString::fromStdString(patternLegend()))},
      {tr("Parameters"), tr("Learned values")},
      {tr("FLOPs"), tr("Of one image forward; a multiply-add counts as two")},
      {tr("Validation"), tr("Best share of right predictions on the validation images")},
      {tr("Test"),
       tr("Share of right predictions on the test images, and how often those were scored")},
      {tr("Epochs"), tr("Epochs done, of all epochs")},
      {tr("Time"), tr("Training time, without pauses and evaluation")},
      {tr("Images/s"), tr("Training throughput over the whole run")},
      {tr("Started"), tr("When the run began")},
      {tr("Device"), tr("Device that computed it")},
      {tr("Tags"), tr("Words to find it by")},
      {tr("Notes"), tr("What you wrote about it")},
  }};
  return headers[column];
}

}  // namespace

QString columnTitle(Column column) {
  return headerOf(column).title;
}

QString columnMeaning(Column column) {
  return headerOf(column).meaning;
}

double cellNumber(const RunRow& row, Column column) {
  const RunRecord& record = row.run.record;
  switch (column) {
    case Column::kParameters:
      return positive(static_cast<double>(record.parameters));
    case Column::kFlops:
      return positive(static_cast<double>(record.flops));
    case Column::kBestValidation:
      return orMissing(record.bestValidationAccuracy);
    case Column::kTest:
      return orMissing(record.testAccuracy);
    case Column::kEpochs:
      return row.state == RunState::damaged ? kMissing : record.epochsDone;
    case Column::kTime:
      return positive(record.trainSeconds);
    case Column::kImagesPerSecond:
      return positive(record.imagesPerSecond);
    case Column::kStarted:
      return row.started;
    default:
      return kMissing;
  }
}

QString cellText(const RunRow& row, Column column) {
  const RunRecord& record = row.run.record;
  if (row.state == RunState::damaged && column != Column::kName && column != Column::kStatus)
    return {};
  switch (column) {
    case Column::kName:
      return row.name();
    case Column::kStatus:
      return nameOf(row.state);
    case Column::kArchitecture:
      return oneLine(QString::fromStdString(record.pattern));
    case Column::kParameters:
      return record.parameters > 0 ? shortCountText(static_cast<double>(record.parameters))
                                   : QString();
    case Column::kFlops:
      return record.flops > 0 ? shortCountText(static_cast<double>(record.flops)) : QString();
    case Column::kBestValidation:
      return accuracyText(record.bestValidationAccuracy);
    case Column::kTest:
      if (!record.testAccuracy || row.isImported()) return accuracyText(record.testAccuracy);
      return tr("%1 · %2×").arg(accuracyText(record.testAccuracy)).arg(record.testEvaluations);
    case Column::kEpochs:
      if (row.isImported()) return QString::number(record.epochsDone);
      return tr("%1 / %2").arg(record.epochsDone).arg(record.config.recipe.epochs);
    case Column::kTime:
      return record.trainSeconds > 0 ? durationText(record.trainSeconds) : QString();
    case Column::kImagesPerSecond:
      return record.imagesPerSecond > 0 ? shortCountText(record.imagesPerSecond) : QString();
    case Column::kStarted:
      return dateTimeText(row.started);
    case Column::kDevice:
      return deviceText(record.environment);
    case Column::kTags:
      return tagsOf(row).join(u", "_s);
    case Column::kNotes:
      return firstLine(record.notes);
    default:
      return {};
  }
}

QString cellToolTip(const RunRow& row, Column column) {
  const RunRecord& record = row.run.record;
  switch (column) {
    case Column::kName:
      return toText(row.run.path);
    case Column::kStatus:
      return sentenceFor(row);
    case Column::kParameters:
      return record.parameters > 0 ? countText(static_cast<qint64>(record.parameters)) : QString();
    case Column::kFlops:
      return record.flops > 0 ? countText(static_cast<qint64>(record.flops)) : QString();
    case Column::kTest:
      if (!record.testAccuracy) return tr("The test set has not been scored.");
      if (row.isImported()) return tr("The last value of its test curve");
      return tr("The test set has been scored %1. A network chosen by its test accuracy looks "
                "better than it is.")
          .arg(countedText(record.testEvaluations, tr("time"), tr("times")));
    case Column::kNotes:
      return QString::fromStdString(record.notes);
    default:
      return cellText(row, column);
  }
}

QStringList tagsOf(const RunRow& row) {
  QStringList tags;
  for (const std::string& tag : row.run.record.tags) tags << oneLine(QString::fromStdString(tag));
  return tags;
}

std::vector<std::string> tagsFrom(const QString& text) {
  std::vector<std::string> tags;
  for (const QString& part : text.split(u',')) {
    const std::string tag = part.simplified().toStdString();
    if (!tag.empty() && std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  }
  return tags;
}

bool canChange(const RunRow& row) {
  return !row.isHeld() && row.hasRecord();
}

}  // namespace lambda
