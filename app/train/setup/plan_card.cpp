#include "app/train/setup/plan_card.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/train/caption.h"
#include "app/train/training_text.h"
#include "engine/values/architecture/cost.h"
#include "engine/values/config/epoch_batches.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/theme.h"

using namespace Qt::StringLiterals;

namespace lambda {

PlanCard::PlanCard(QWidget* parent) : QFrame(parent) {
  setProperty(kRole, u"card"_s);
  caption_ = makeCaption(this, {});
  numbers_ = new QLabel(this);
  numbers_->setObjectName(u"plan"_s);
  numbers_->setTextFormat(Qt::PlainText);
  numbers_->setWordWrap(true);
  problem_ = new QLabel(this);
  problem_->setObjectName(u"networkProblem"_s);
  problem_->setProperty(kRole, u"error"_s);
  problem_->setTextFormat(Qt::PlainText);
  problem_->setWordWrap(true);
  open_ = new QPushButton(u"Open Design"_s, this);
  auto* column = new QVBoxLayout(this);
  column->addWidget(caption_);
  column->addWidget(numbers_);
  column->addWidget(problem_);
  column->addWidget(open_, 0, Qt::AlignLeft);
  connect(open_, &QPushButton::clicked, this, [this] { Q_EMIT designRequested(path_); });
  setUnderWay(false);
}

void PlanCard::setUnderWay(bool underWay) {
  caption_->setText(underWay ? u"What is trained"_s : u"What will be trained"_s);
}

void PlanCard::setPlan(const RunConfig& config,
                       const std::optional<DatasetInfo>& dataset,
                       const std::vector<Problem>& problems) {
  const NetworkCost cost = costOf(config.architecture);
  const std::string& name = config.architecture.name;
  const QString network = name.empty() ? u"Network"_s : QString::fromStdString(name);
  const QString pattern = QString::fromStdString(patternOf(config.architecture));
  QStringList lines{pattern.isEmpty() ? network : network + u", "_s + pattern,
                    u"%1 parameters"_s.arg(countText(cost.parameters))};
  const Recipe& recipe = config.recipe;
  const std::int64_t images = trainingImagesOf(config.data, dataset).value_or(0);
  const EpochBatches epoch = batchesOfEpoch(recipe, images);
  if (epoch.batches > 0) {
    lines << u"%1: %2 of %3"_s.arg(countedText(epoch.batches * recipe.epochs, u"step"_s),
                                   countedText(recipe.epochs, u"epoch"_s),
                                   countedText(epoch.batches, u"batch"_s));
    if (images % recipe.batchSize != 0) {
      lines << QString::fromStdString(batchesText(recipe, images));
    }
  }
  const long long bytes = trainingBytes(cost, recipe);
  lines << u"about %1 of memory for the network at this batch size"_s.arg(bytesText(bytes));
  numbers_->setText(breakableText(lines.join(u'\n')));

  path_.clear();
  int errors = 0;
  QString first;
  for (const Problem& problem : problems) {
    if (problem.severity != Severity::error || !problem.path.starts_with("architecture")) continue;
    if (++errors > 1) continue;
    path_ = problem.path;
    first = QString::fromStdString(problem.text);
  }
  problem_->setVisible(errors > 0);
  open_->setVisible(errors > 0);
  problem_->setText(errors == 1
                        ? u"The network has an error: %1"_s.arg(first)
                        : u"The network has %1 errors, the first: %2"_s.arg(errors).arg(first));
}

}  // namespace lambda
