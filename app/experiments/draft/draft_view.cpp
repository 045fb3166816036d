#include "app/experiments/draft/draft_view.h"

#include <algorithm>
#include <utility>

#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/experiments/draft/axis_row.h"
#include "app/experiments/draft/proposed_axis.h"
#include "app/experiments/plan/plan_panel.h"
#include "engine/experiments/difference_text.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/halving.h"
#include "widgets/forms/sentence.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/spacing.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr std::size_t kMostProblemsShown = 4;
constexpr int kMostEpochs = 1'000'000;

QString textOf(const std::vector<Problem>& problems) {
  QStringList lines;
  for (const Problem& problem : problems) {
    if (static_cast<std::size_t>(lines.size()) == kMostProblemsShown) {
      lines << u"And %1 more."_s.arg(problems.size() - kMostProblemsShown);
      break;
    }
    lines << sentence(problem.text);
  }
  return lines.join(u'\n');
}

/// The next seeds after those of a list, or its beginning.
void setCount(std::vector<std::uint64_t>& seeds, std::size_t count) {
  while (seeds.size() > count) seeds.pop_back();
  while (seeds.size() < count) {
    seeds.push_back(seeds.empty() ? 0 : std::ranges::max(seeds) + 1);
  }
}

}  // namespace

DraftView::DraftView(const std::filesystem::path& program, QWidget* parent)
    : QWidget(parent),
      name_(new QLineEdit),
      question_(new QLineEdit),
      base_(new QLabel),
      axes_(new QVBoxLayout),
      hint_(new QLabel(
          u"To vary another field as well, choose “Vary this in an experiment” at that field in "
          "Design or Train."_s)),
      combination_(new QComboBox),
      seeds_(new QSpinBox),
      earlyEnd_(new QSpinBox),
      earlyEndText_(new QLabel),
      baseline_(new QComboBox),
      measures_(new QToolButton),
      problems_(new QLabel),
      create_(new QPushButton(u"Create and run"_s)),
      discard_(new QPushButton(u"Discard"_s)),
      plan_(new PlanPanel(program, PlanTiming::asEdited)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(
      spacing::kMargin, spacing::kMargin, spacing::kMargin, spacing::kMargin);
  column->setSpacing(spacing::kGap);
  auto* title = new QLabel(u"New experiment"_s);
  title->setProperty(kRole, u"heading"_s);
  create_->setObjectName(u"createExperiment"_s);
  create_->setProperty(kRole, u"primary"_s);
  discard_->setObjectName(u"discardDraft"_s);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(create_);
  buttons->addWidget(discard_);
  buttons->addStretch();
  problems_->setObjectName(u"draftProblems"_s);
  problems_->setProperty(kRole, u"error"_s);
  problems_->setTextFormat(Qt::PlainText);
  problems_->setWordWrap(true);
  column->addWidget(title);
  column->addWidget(makeForm());
  column->addWidget(problems_);
  column->addLayout(buttons);
  column->addWidget(plan_, 1);
  connectParts();
}

QWidget* DraftView::makeForm() {
  name_->setObjectName(u"draftName"_s);
  question_->setObjectName(u"draftQuestion"_s);
  base_->setObjectName(u"draftBase"_s);
  base_->setTextFormat(Qt::PlainText);
  base_->setWordWrap(true);
  hint_->setProperty(kRole, u"secondary"_s);
  hint_->setWordWrap(true);
  axes_->setSpacing(spacing::kGap);
  combination_->setObjectName(u"combination"_s);
  combination_->addItems({u"Every value with every value"_s, u"First with first, second with …"_s});
  seeds_->setObjectName(u"seeds"_s);
  seeds_->setRange(1, static_cast<int>(kMostSeeds));
  seeds_->setToolTip(
      u"Runs of every variant. With one seed no difference can be told from chance."_s);
  baseline_->setObjectName(u"baseline"_s);
  baseline_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  measures_->setObjectName(u"measures"_s);
  measures_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(measures_);
  for (std::size_t i = 0; i < kNamesOf<Quantity>.names.size(); ++i) {
    const auto quantity = static_cast<Quantity>(i);
    QAction* action = menu->addAction(QString::fromUtf8(traitsOf(quantity).title));
    action->setCheckable(true);
    connect(action, &QAction::triggered, this, [this, quantity](bool isChecked) {
      edit([&](Experiment& experiment) {
        std::erase_if(experiment.measures,
                      [&](const Measure& measure) { return measure.quantity == quantity; });
        if (isChecked) experiment.measures.push_back(Measure{quantity});
        // Something must be measured.
        if (experiment.measures.empty()) experiment.measures.push_back(Measure{});
      });
    });
  }
  measures_->setMenu(menu);

  auto* form = new QWidget;
  auto* rows = makeBareLayout<QFormLayout>(form, spacing::kGap);
  rows->addRow(u"Name"_s, name_);
  rows->addRow(u"Question"_s, question_);
  rows->addRow(u"Base"_s, base_);
  auto* varied = new QVBoxLayout;
  varied->setSpacing(spacing::kGap);
  varied->addLayout(axes_);
  varied->addWidget(combination_, 0, Qt::AlignLeft);
  varied->addWidget(hint_);
  rows->addRow(u"Varies"_s, varied);
  auto* numbers = new QHBoxLayout;
  numbers->setSpacing(spacing::kGap);
  numbers->addWidget(seeds_);
  numbers->addSpacing(spacing::kGap);
  numbers->addWidget(new QLabel(u"Baseline"_s));
  numbers->addWidget(baseline_);
  numbers->addSpacing(spacing::kGap);
  numbers->addWidget(new QLabel(u"Measures"_s));
  numbers->addWidget(measures_);
  numbers->addStretch();
  rows->addRow(u"Seeds"_s, numbers);
  earlyEnd_->setObjectName(u"earlyEnd"_s);
  earlyEnd_->setRange(0, kMostEpochs);
  earlyEnd_->setSpecialValueText(u"off"_s);
  earlyEnd_->setToolTip(
      u"Epochs after which only the better half of the variants goes on, and again after twice as "
      "many. The baseline always goes on."_s);
  earlyEndText_->setProperty(kRole, u"secondary"_s);
  auto* early = new QHBoxLayout;
  early->setSpacing(spacing::kGap);
  early->addWidget(earlyEnd_);
  early->addWidget(earlyEndText_, 1);
  rows->addRow(u"Early end"_s, early);
  return form;
}

void DraftView::connectParts() {
  connect(name_, &QLineEdit::textEdited, this, [this](const QString& text) {
    edit([&](Experiment& experiment) { experiment.name = text.trimmed().toStdString(); });
  });
  connect(question_, &QLineEdit::textEdited, this, [this](const QString& text) {
    edit([&](Experiment& experiment) { experiment.question = text.toStdString(); });
  });
  connect(combination_, &QComboBox::activated, this, [this](int index) {
    edit([&](Experiment& experiment) {
      experiment.combination = static_cast<AxisCombination>(index);
    });
  });
  connect(seeds_, &QSpinBox::valueChanged, this, [this](int count) {
    edit([&](Experiment& experiment) {
      setCount(experiment.seeds, static_cast<std::size_t>(count));
    });
  });
  connect(earlyEnd_, &QSpinBox::valueChanged, this, [this](int epochs) {
    edit([&](Experiment& experiment) { experiment.halving.firstEpochs = epochs; });
  });
  connect(baseline_, &QComboBox::activated, this, [this](int index) {
    edit([&](Experiment& experiment) {
      experiment.baseline = baseline_->itemText(index).toStdString();
    });
  });
  connect(create_, &QPushButton::clicked, this, [this] { Q_EMIT createRequested(*draft_); });
  connect(discard_, &QPushButton::clicked, this, [this] { setDraft(std::nullopt); });
}

void DraftView::setDraft(std::optional<Experiment> draft) {
  draft_ = std::move(draft);
  isOfDocument_ = false;
  showDraft();
  Q_EMIT changed();
}

void DraftView::vary(const RunConfig& base, const FieldRow& row) {
  Experiment experiment;
  if (draft_) {
    experiment = *std::move(draft_);
  } else {
    isOfDocument_ = true;
    experiment.name = proposedName(row);
    experiment.question = proposedQuestion(row);
    experiment.measures = proposedMeasures(traitsOf(base.architecture.task).score);
  }
  if (isOfDocument_) experiment.base = base;
  const auto found = std::ranges::find(experiment.axes, row.path, &Axis::path);
  if (found == experiment.axes.end() && experiment.axes.size() < kMostAxes) {
    experiment.axes.push_back(proposedAxis(row));
    experiment.baseline.clear();
  }
  draft_ = std::move(experiment);
  showDraft();
  Q_EMIT changed();
}

void DraftView::setFolder(const std::filesystem::path& folder) {
  if (folder == folder_) return;
  folder_ = folder;
  if (draft_) updatePlan();
}

void DraftView::setMayMeasure(bool mayMeasure) {
  plan_->setMayMeasure(mayMeasure);
}

void DraftView::showFailure(const QString& reason) {
  problems_->setText(reason);
  setRole(*problems_, u"error"_s);
  problems_->show();
}

void DraftView::edit(const std::function<void(Experiment&)>& change) {
  if (!draft_) return;
  change(*draft_);
  showDraft();
  Q_EMIT changed();
}

void DraftView::showDraft() {
  if (!draft_) {
    tasks_.cancel();
    plan_->clear();
    return;
  }
  const auto showText = [](QLineEdit& line, const std::string& text) {
    if (line.text().trimmed().toStdString() != text) line.setText(QString::fromStdString(text));
  };
  showText(*name_, draft_->name);
  showText(*question_, draft_->question);
  const RunConfig& base = draft_->base;
  base_->setText(
      (isOfDocument_ ? u"%1, as it is in Design and Train"_s : u"%1"_s)
          .arg(QString::fromStdString(base.name.empty() ? base.architecture.name : base.name)));
  combination_->setVisible(draft_->axes.size() > 1);
  combination_->setCurrentIndex(static_cast<int>(draft_->combination));
  {
    const QSignalBlocker blocker(seeds_);
    seeds_->setValue(static_cast<int>(draft_->seeds.size()));
    const QSignalBlocker earlyBlocker(earlyEnd_);
    earlyEnd_->setValue(draft_->halving.firstEpochs);
  }
  const int epochs = base.recipe.epochs;
  earlyEndText_->setText(
      draft_->halving.isOn()
          ? QString::fromStdString(halvingText(draft_->halving, epochs))
          : u"All variants are trained for all %1."_s.arg(countedText(epochs, u"epoch"_s)));
  showAxes();
  showMeasures();
  updatePlan();
}

void DraftView::showAxes() {
  const std::size_t count = draft_->axes.size();
  while (axisRows_.size() > count) {
    // The row itself may have asked to be removed.
    axisRows_.back()->hide();
    axisRows_.back()->deleteLater();
    axisRows_.pop_back();
  }
  while (axisRows_.size() < count) {
    const std::size_t index = axisRows_.size();
    auto* row = new AxisRow;
    connect(row, &AxisRow::edited, this, [this, index](const Axis& axis) {
      edit([&](Experiment& experiment) {
        experiment.axes[index] = axis;
        experiment.baseline.clear();
      });
    });
    connect(row, &AxisRow::removeRequested, this, [this, index] {
      edit([&](Experiment& experiment) {
        experiment.axes.erase(experiment.axes.begin() + static_cast<std::ptrdiff_t>(index));
        experiment.baseline.clear();
      });
    });
    axes_->addWidget(row);
    axisRows_.push_back(row);
  }
  for (std::size_t i = 0; i < count; ++i) axisRows_[i]->setAxis(draft_->axes[i]);
}

void DraftView::showMeasures() {
  QStringList titles;
  const QList<QAction*> actions = measures_->menu()->actions();
  for (qsizetype i = 0; i < actions.size(); ++i) {
    const auto found =
        std::ranges::find(draft_->measures, static_cast<Quantity>(i), &Measure::quantity);
    actions[i]->setChecked(found != draft_->measures.end());
  }
  for (const Measure& measure : draft_->measures) {
    titles << QString::fromUtf8(traitsOf(measure.quantity).title);
  }
  measures_->setText(
      titles.size() > 1
          ? u"%1 and %2"_s.arg(titles.front(), countedText(titles.size() - 1, u"other"_s))
          : titles.front());
  measures_->setToolTip(titles.join(u'\n'));
}

void DraftView::updatePlan() {
  create_->setEnabled(false);
  tasks_.runNewest(
      [experiment = *draft_, folder = folder_] {
        Plan plan{problemsOf(experiment), {}, {}};
        const bool isNamed = !experiment.name.empty();
        plan.isTaken = isNamed && ExperimentFolder::isAt(folder / experiment.name);
        if (hasErrors(plan.problems)) return plan;
        const ExperimentPlan planned = planOf(experiment);
        const auto found =
            std::ranges::find(planned.variants, experiment.base, &PlannedVariant::config);
        if (found != planned.variants.end()) plan.unchanged = found->name;
        plan.rows = planRowsOf(planned);
        return plan;
      },
      [this](Plan plan) { takePlan(std::move(plan)); });
}

void DraftView::takePlan(Plan plan) {
  const bool isNamed = !draft_->name.empty() && !plan.isTaken;
  const bool isPossible = !hasErrors(plan.problems) && isNamed;
  if (plan.isTaken) {
    problems_->setText(u"Another experiment has this name. Choose a new one."_s);
  } else {
    problems_->setText(isNamed ? textOf(plan.problems) : u"The experiment needs a name."_s);
  }
  problems_->setVisible(!problems_->text().isEmpty());
  setRole(*problems_, isPossible ? u"warning"_s : u"error"_s);
  create_->setEnabled(isPossible);
  if (hasErrors(plan.problems)) return;
  // Of a copied experiment, no name still means the first variant.
  if (isOfDocument_ && draft_->baseline.empty() && !plan.unchanged.empty()) {
    draft_->baseline = plan.unchanged;
    Q_EMIT changed();
  }
  const QSignalBlocker blocker(baseline_);
  baseline_->clear();
  for (const PlanRow& row : plan.rows) baseline_->addItem(QString::fromStdString(row.name));
  baseline_->setCurrentIndex(
      std::max(0, baseline_->findText(QString::fromStdString(draft_->baseline))));
  plan_->setPlan(*draft_, std::move(plan.rows));
}

}  // namespace lambda
