#include "app/runs/panels/details/details_panel.h"

#include <array>
#include <utility>
#include <vector>

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/compare/lineage.h"
#include "app/runs/panels/details/run_annotations.h"
#include "app/runs/panels/details/run_facts.h"
#include "app/runs/panels/details/run_history.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "app/runs/table/run_columns.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/theme/elided_label.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/widget_role.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

QString exactCount(std::int64_t count) {
  return count > 0 ? countText(count) : QString();
}

}  // namespace

DetailsPanel::DetailsPanel(const RunsContext& context)
    : library_(context.library), runs_(context.runs), content_(makeContent()) {
  auto* area = new QScrollArea(this);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setWidget(content_);
  auto* column = makeBareLayout<QVBoxLayout>(this);
  column->addWidget(area);
  connect(&library_, &RunLibrary::runChanged, this, [this](const std::filesystem::path& run) {
    if (run == run_) refresh();
  });
  connect(&library_, &RunLibrary::changed, this, &DetailsPanel::refresh);
  connect(&library_, &RunLibrary::metricsChanged, this, [this](const std::filesystem::path& run) {
    if (run == run_ && isVisible()) showEvents();
  });
  connect(&library_,
          &RunLibrary::filesListed,
          this,
          [this](const std::filesystem::path& run, const RunFiles& files) {
            if (run == run_) showFiles(files);
          });
  // Queued: it deletes and creates labels, which must not happen during a change of style.
  onFontChange(*this, [this] {
    QMetaObject::invokeMethod(this, &DetailsPanel::refresh, Qt::QueuedConnection);
  });
}

QWidget* DetailsPanel::makeContent() {
  auto* content = new QWidget;
  name_ = new ElidedLabel(content);
  name_->setTextFormat(Qt::PlainText);
  name_->setProperty(kRole, u"title"_s);
  sentence_ = new QLabel(content);
  sentence_->setWordWrap(true);
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  command_ = new QToolButton(content);
  command_->setText(u"Copy as command line"_s);
  command_->setToolTip(u"The command that trains such a run again"_s);
  auto* folder = new QToolButton(content);
  folder->setText(u"Show the folder"_s);
  design_ = new QToolButton(content);
  design_->setText(u"Open the network in Design"_s);
  duplicate_ = new QToolButton(content);
  duplicate_->setText(u"Duplicate …"_s);
  duplicate_->setToolTip(u"Prepare runs that differ from this one in their mixers alone"_s);
  duplicate_->setAccessibleName(u"Duplicate with another mixer"_s);
  result_ = new RunFacts(u"Result"_s, content);
  network_ = new RunFacts(u"Network"_s, content);
  environment_ = new RunFacts(u"Machine"_s, content);
  lineage_ = new RunFacts(u"Ancestors, forks and duplicates"_s, content);
  files_ = new RunFacts(u"Files"_s, content);
  annotations_ = new RunAnnotations(library_, runs_, content);
  events_ = new RunHistory(content);

  auto* heading = new QHBoxLayout;
  auto* names = new QVBoxLayout;
  names->setSpacing(2);
  names->addWidget(name_);
  names->addWidget(sentence_);
  heading->addLayout(names, 1);
  for (QToolButton* button : {duplicate_, command_, design_, folder})
    heading->addWidget(button, 0, Qt::AlignTop);

  std::array<QVBoxLayout*, 3> columns{};
  auto* body = new QHBoxLayout;
  body->setSpacing(32);
  for (QVBoxLayout*& column : columns) {
    column = new QVBoxLayout;
    column->setSpacing(24);
    body->addLayout(column, 1);
  }
  columns[0]->addWidget(result_);
  columns[0]->addWidget(annotations_);
  columns[1]->addWidget(network_);
  columns[1]->addWidget(environment_);
  columns[1]->addWidget(lineage_);
  columns[2]->addWidget(files_);
  // The events take all the space; without events the files stay on top.
  columns[2]->addWidget(events_, 100);
  columns[2]->addStretch(1);
  columns[0]->addStretch(1);
  columns[1]->addStretch(1);
  auto* page = new QVBoxLayout(content);
  page->setContentsMargins(16, 12, 16, 16);
  page->setSpacing(16);
  page->addLayout(heading);
  page->addLayout(body, 1);

  connect(command_, &QToolButton::clicked, this, [this] { Q_EMIT commandClicked(run_); });
  connect(folder, &QToolButton::clicked, this, [this] { Q_EMIT folderClicked(run_); });
  connect(design_, &QToolButton::clicked, this, [this] { Q_EMIT designClicked(run_); });
  connect(duplicate_, &QToolButton::clicked, this, [this] { Q_EMIT duplicateClicked(run_); });
  connect(files_, &RunFacts::linkClicked, this, [this](const QString& link) {
    Q_EMIT forkClicked(run_, toPath(link));
  });
  connect(lineage_, &RunFacts::linkClicked, this, [this](const QString& link) {
    Q_EMIT runClicked(toPath(link));
  });
  return content;
}

void DetailsPanel::setCurrentRun(const std::filesystem::path& run) {
  if (run_ == run) return;
  annotations_->save();
  run_ = run;
  refresh();
}

void DetailsPanel::editTags() {
  annotations_->editTags();
}

void DetailsPanel::editNotes() {
  annotations_->editNotes();
}

void DetailsPanel::showEvent(QShowEvent* event) {
  RunsPanel::showEvent(event);
  refresh();
}

const RunRow* DetailsPanel::row() const {
  const int index = runs_.indexOf(run_);
  return index < 0 ? nullptr : &runs_.row(index);
}

void DetailsPanel::refresh() {
  if (!isVisible()) return;
  const RunRow* run = row();
  content_->setVisible(run);
  if (!run) return;
  name_->setText(run->name());
  sentence_->setText(sentenceFor(*run));
  const bool hasFailed = run->state == RunState::failed || run->state == RunState::damaged;
  setRole(*sentence_, hasFailed ? u"error"_s : u"secondary"_s);
  for (QToolButton* button : {duplicate_, command_, design_}) button->setVisible(run->hasRecord());
  showResult(*run);
  showNetwork(*run);
  showEnvironment(*run);
  showLineage(*run);
  annotations_->showRun(*run);
  showEvents();
  files_->setFacts({{u"Folder"_s, toText(run_)}});
  if (!run->isImported()) library_.listFiles(run_);
}

void DetailsPanel::showResult(const RunRow& row) {
  const RunRecord& record = row.run.record;
  std::vector<RunFacts::Fact> facts{{u"Status"_s, nameOf(row.state)}};
  for (const RunColumn id : {RunColumn::dataSet,
                             RunColumn::validation,
                             RunColumn::test,
                             RunColumn::epochs,
                             RunColumn::time,
                             RunColumn::imagesPerSecond,
                             RunColumn::started}) {
    const ColumnSpec& column = specOf(id);
    RunFacts::Fact fact{
        .name = column.title, .value = cellText(column, row), .toolTip = column.meaning};
    if (id == RunColumn::test && record.testScore && !row.isImported()) {
      fact.value = u"%1, scored %2"_s.arg(scoreText(*record.testScore, record.scoredBy),
                                          timesText(record.testEvaluations)) +
                   guessText(record.testMajority);
    }
    if (id == RunColumn::validation && !fact.value.isEmpty()) {
      fact.value += guessText(record.validationMajority);
    }
    facts.push_back(std::move(fact));
  }
  result_->setFacts(facts);
}

void DetailsPanel::showNetwork(const RunRow& row) {
  const RunRecord& record = row.run.record;
  const Architecture& network = record.config.architecture;
  network_->setFacts({{u"Architecture"_s, QString::fromStdString(record.pattern)},
                      {u"Name"_s, QString::fromStdString(network.name)},
                      {u"Purpose"_s, QString::fromStdString(network.description)},
                      {u"Parameters"_s, exactCount(record.parameters)},
                      {u"FLOPs"_s, exactCount(record.flops)}});
}

void DetailsPanel::showEnvironment(const RunRow& row) {
  const RunRecord& record = row.run.record;
  const Environment& machine = record.environment;
  const std::string precision =
      precisionText(record.config.recipe.precision, machine.precisionRates);
  const int changes = machine.threadChanges;
  const QString threads =
      u"changed %1 while training: not repeatable to the bit"_s.arg(timesText(changes));
  environment_->setFacts(
      {{u"Device"_s, cellText(specOf(RunColumn::device), row)},
       {u"Threads"_s, changes > 0 ? threads : QString()},
       {u"Precision"_s, row.hasRecord() ? QString::fromStdString(precision) : QString()},
       {u"Processor"_s, QString::fromStdString(machine.cpu)},
       {u"Machine"_s, QString::fromStdString(machine.host)},
       {u"Program"_s, QString::fromStdString(machine.program)},
       {u"Commit"_s, QString::fromStdString(machine.commit)},
       {u"LibTorch"_s, QString::fromStdString(machine.torch)}});
}

void DetailsPanel::showLineage(const RunRow& row) {
  std::vector<RunFacts::Fact> facts;
  const Lineage& lineage = row.run.record.lineage;
  if (const std::string& experiment = row.run.record.config.experiment; !experiment.empty()) {
    facts.push_back({u"Experiment"_s, QString::fromStdString(experiment)});
  }
  const RunSummary* parent = row.isImported() ? nullptr : parentOf(row.run, library_.runs());
  const bool isFork = !lineage.parentCheckpoint.empty();
  const QString relation = isFork ? u"Forked from"_s : u"Duplicate of"_s;
  if (parent) {
    facts.push_back(
        {.name = relation, .value = rowOf(*parent).name(), .link = toText(parent->path)});
  } else if (!lineage.parentRun.empty()) {
    facts.push_back(
        {relation,
         u"%1, which is not in the library"_s.arg(QString::fromStdString(lineage.parentRun))});
  }
  if (isFork) {
    facts.push_back({u"At"_s,
                     u"step %1, %2"_s.arg(countText(lineage.parentStep),
                                          QString::fromStdString(lineage.parentCheckpoint))});
  }
  if (!row.isImported()) {
    for (const RunSummary* child : childrenOf(row.run, library_.runs())) {
      facts.push_back(
          {.name = child->record.lineage.parentCheckpoint.empty() ? u"Duplicate"_s : u"Fork"_s,
           .value = rowOf(*child).name(),
           .link = toText(child->path)});
    }
  }
  lineage_->setFacts(facts);
}

void DetailsPanel::showFiles(const RunFiles& files) {
  std::vector<RunFacts::Fact> facts{{u"Folder"_s, toText(run_)},
                                    {u"On disk"_s, bytesText(files.totalBytes)}};
  const RunRow* run = row();
  const bool canFork = run && run->hasRecord();
  QString name = u"Checkpoints"_s;
  for (const CheckpointFile& file : files.checkpoints) {
    const QString stem = toText(file.path.stem());
    facts.push_back(
        {.name = name,
         .value = u"%1, %2"_s.arg(stem, bytesText(file.bytes)),
         .link = canFork && file.bytes > 0 ? toText(file.path) : QString(),
         .linkText = u"Fork"_s,
         .toolTip = canFork ? u"Start a new run from this checkpoint, with changed settings"_s
                            : QString()});
    name = u" "_s;
  }
  files_->setFacts(facts);
}

void DetailsPanel::showEvents() {
  const RunRow* run = row();
  const bool hasMetrics = run && run->hasRecord();
  const auto metrics = hasMetrics ? library_.metrics(run_) : nullptr;
  events_->setEvents(metrics ? metrics->events : std::vector<EventRecord>{});
}

}  // namespace lambda
