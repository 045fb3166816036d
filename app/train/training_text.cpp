#include "app/train/training_text.h"

#include <algorithm>
#include <cmath>

#include "app/generated/token_words.h"
#include "engine/data/sequences/token_text.h"
#include "engine/values/config/epoch_batches.h"
#include "engine/values/config/fields.h"
#include "widgets/forms/field_rows.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString phaseText(Split split, Task task) {
  return u"scoring the %1 %2"_s.arg(
      split == Split::train ? u"training"_s : QString::fromLatin1(nameOf(split)),
      QString::fromLatin1(traitsOf(task).examples));
}

}  // namespace

QString stateText(SessionState state) {
  switch (state) {
    case SessionState::idle:
      return u"Not training"_s;
    case SessionState::starting:
      return u"Starting: loading the data, building the network …"_s;
    case SessionState::running:
      return u"Training"_s;
    case SessionState::pausing:
      return u"Pausing after this batch …"_s;
    case SessionState::paused:
      return u"Paused"_s;
    case SessionState::stopping:
      return u"Stopping: saving a checkpoint …"_s;
  }
  return {};
}

QString endText(const RunResult& result, int epochs) {
  const int epoch = std::min(result.epochs + 1, epochs);
  switch (result.status) {
    case RunStatus::finished:
      return u"Finished: %1"_s.arg(countedText(result.epochs, u"epoch"_s));
    case RunStatus::failed:
      return u"Failed in epoch %1"_s.arg(epoch);
    case RunStatus::running:
    case RunStatus::paused:
      return u"Left in epoch %1; its process goes on"_s.arg(epoch);
    case RunStatus::stopped:
      return u"Stopped in epoch %1"_s.arg(epoch);
  }
  return {};
}

QString progressText(const TrainingStatus& status) {
  if (status.run.empty()) return {};
  const QString epoch =
      u"epoch %1 of %2"_s.arg(std::max(status.epoch, 1)).arg(status.record.config.recipe.epochs);
  if (status.evaluation.total <= 0 || !status.evaluation.split) return epoch;
  const double share =
      static_cast<double>(status.evaluation.done) / static_cast<double>(status.evaluation.total);
  const QString phase = phaseText(*status.evaluation.split, status.record.config.architecture.task);
  return u"%1, %2: %3"_s.arg(epoch, phase, percentText(share, 0));
}

std::function<QString(double nats)> lossInWords(const RunConfig& config) {
  if (config.architecture.task != Task::tokens) return {};
  const TokenText tokens(config.data.source, config.architecture.outputs);
  return [isOfBytes = tokens.isOfBytes()](double nats) { return lossText(nats, isOfBytes); };
}

double progressOf(const TrainingStatus& status) {
  const double steps = static_cast<double>(status.record.config.recipe.epochs) *
                       std::max(status.record.batchesPerEpoch, 0);
  return steps > 0 ? std::clamp(static_cast<double>(status.step) / steps, 0.0, 1.0) : 0;
}

QString recipeText(const RunConfig& config) {
  const Recipe& recipe = config.recipe;
  const std::int64_t batches =
      batchesOfEpoch(recipe, trainingImagesOf(config.data).value_or(0)).batches;
  const QString data = QString::fromUtf8(traitsOf(config.data.source).title);
  const QString examples = QString::fromLatin1(traitsOf(config.architecture.task).examples);
  const QString epochs = countedText(recipe.epochs, u"epoch"_s);
  const QString batchSize = countText(recipe.batchSize);
  const QString length =
      batches > 0 ? u"%1 of %2 × %3 %4"_s.arg(epochs, countText(batches), batchSize, examples)
                  : u"%1, batches of %2 %3"_s.arg(epochs, batchSize, examples);
  const QString optimizer =
      u"%1 %2, %3"_s.arg(QString::fromUtf8(traitsOf(recipe.optimizer.kind).title),
                         roundedText(recipe.optimizer.learningRate),
                         QString::fromUtf8(kindNameOf(recipe.schedule.kind)));
  const QString seed = u"seed %1"_s.arg(config.seed);
  return QStringList{data, length, optimizer, seed}.join(u" · "_s);
}

QString problemText(const Problem& problem) {
  const QString text = QString::fromStdString(problem.text);
  if (problem.path.starts_with("architecture")) return u"Network: %1"_s.arg(text);
  return problem.path.empty() ? text
                              : QString::fromStdString(labelAt(problem.path)) + u": "_s + text;
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
