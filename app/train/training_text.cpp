#include "app/train/training_text.h"

#include <algorithm>
#include <cmath>

#include "engine/values/config/enum_names.h"
#include "widgets/forms/field_rows.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

template <class Enum>
QString choiceText(const char* path, Enum value) {
  return QString::fromStdString(choiceLabel(path, nameOf(value)));
}

QString phaseText(const std::string& phase) {
  if (phase == "train") return tr("scoring the training images");
  if (phase == "validation") return tr("scoring the validation images");
  if (phase == "test") return tr("scoring the test images");
  return QString::fromStdString(phase);
}

}  // namespace

QString stateText(SessionState state) {
  switch (state) {
    case SessionState::idle:
      return tr("Not training");
    case SessionState::starting:
      return tr("Starting: loading the data, building the network …");
    case SessionState::running:
      return tr("Training");
    case SessionState::pausing:
      return tr("Pausing after this batch …");
    case SessionState::paused:
      return tr("Paused");
    case SessionState::stopping:
      return tr("Stopping: saving a checkpoint …");
  }
  return {};
}

QString endText(const RunResult& result, int epochs) {
  const int epoch = std::min(result.epochs + 1, epochs);
  switch (result.status) {
    case RunStatus::finished:
      return tr("Finished: %1").arg(countedText(result.epochs, u"epoch"_s));
    case RunStatus::failed:
      return tr("Failed in epoch %1").arg(epoch);
    case RunStatus::stopped:
    case RunStatus::running:
    case RunStatus::paused:
      return tr("Stopped in epoch %1").arg(epoch);
  }
  return {};
}

QString progressText(const TrainingStatus& status) {
  if (status.run.empty()) return {};
  const QString epoch =
      tr("epoch %1 of %2").arg(std::max(status.epoch, 1)).arg(status.record.config.recipe.epochs);
  if (status.evaluation.total <= 0) return epoch;
  const double share =
      static_cast<double>(status.evaluation.done) / static_cast<double>(status.evaluation.total);
  return tr("%1, %2: %3").arg(epoch, phaseText(status.evaluation.phase), percentText(share, 0));
}

double progressOf(const TrainingStatus& status) {
  const double steps =
      static_cast<double>(status.record.config.recipe.epochs) * std::max(status.batchesPerEpoch, 0);
  return steps > 0 ? std::clamp(static_cast<double>(status.step) / steps, 0.0, 1.0) : 0;
}

std::int64_t trainingImagesOf(const DataConfig& data, const std::optional<DatasetInfo>& dataset) {
  const std::optional<DatasetInfo> known = dataset ? dataset : announcedInfo(data.source);
  return known ? std::max<std::int64_t>(0, known->trainCount - data.validationCount) : 0;
}

QString recipeText(const RunConfig& config) {
  const Recipe& recipe = config.recipe;
  const std::int64_t batches =
      recipe.batchSize > 0 ? trainingImagesOf(config.data) / recipe.batchSize : 0;
  const std::string_view title = traitsOf(config.data.source).title;
  const QString data = QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size()));
  const QString epochs = countedText(recipe.epochs, u"epoch"_s);
  const QString batchSize = countText(recipe.batchSize);
  const QString length = batches > 0
                             ? tr("%1 of %2 × %3 images").arg(epochs, countText(batches), batchSize)
                             : tr("%1, batches of %2 images").arg(epochs, batchSize);
  const QString optimizer =
      u"%1 %2, %3"_s.arg(choiceText("optimizer.kind", recipe.optimizer.kind),
                         roundedText(recipe.optimizer.learningRate),
                         choiceText("schedule.kind", recipe.schedule.kind).toLower());
  const QString seed = tr("seed %1").arg(config.seed);
  return QStringList{data, length, optimizer, seed}.join(u" · "_s);
}

QString eventTitle(EventKind kind) {
  switch (kind) {
    case EventKind::started:
      return tr("Started");
    case EventKind::resumed:
      return tr("Resumed");
    case EventKind::paused:
      return tr("Paused");
    case EventKind::continued:
      return tr("Continued");
    case EventKind::stopped:
      return tr("Stopped");
    case EventKind::finished:
      return tr("Finished");
    case EventKind::failed:
      return tr("Failed");
    case EventKind::checkpoint:
      return tr("Checkpoint");
    case EventKind::tested:
      return tr("Test");
    case EventKind::warning:
      return tr("Warning");
    case EventKind::changed:
      return tr("Changed");
  }
  return {};
}

QString problemText(const Problem& problem) {
  const QString text = QString::fromStdString(problem.text);
  if (problem.path.starts_with("architecture")) return tr("Network: %1").arg(text);
  FieldRow row;
  row.path = problem.path;
  field_rows::addLook(row);
  return row.label.empty() ? text : QString::fromStdString(row.label) + u": "_s + text;
}

QString breakableText(const QString& text) {
  constexpr int kMostWithout = 24;
  constexpr QChar kBreak(0x200b);
  QString result;
  int since = 0;
  for (const QChar c : text) {
    result += c;
    since = c.isSpace() ? 0 : since + 1;
    const bool isJoint = c == u'/' || c == u'\\';
    if ((isJoint && since > 1) || (since >= kMostWithout && !c.isHighSurrogate())) {
      result += kBreak;
      since = 0;
    }
  }
  return result;
}

}  // namespace lambda
