#include "app/runs/panels/details_panel.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/runs/compare/lineage.h"
#include "app/runs/panels/run_facts.h"
#include "app/runs/path_text.h"
#include "app/runs/run_cells.h"
#include "app/runs/run_command.h"
#include "app/runs/run_library.h"
#include "app/runs/run_table_model.h"
#include "widgets/pictures/number_text.h"
#include "widgets/plots/axis_text.h"
#include "widgets/theme/colors.h"
#include "widgets/theme/theme.h"
#include "widgets/theme/typography.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using Column = RunTableModel::Column;

/// Typing has ended when nothing was typed for so long.
constexpr int kSaveMs = 800;
constexpr int kNotesHeight = 120;

QString nameOf(EventKind kind) {
  switch (kind) {
    case EventKind::started:
      return DetailsPanel::tr("Started");
    case EventKind::resumed:
      return DetailsPanel::tr("Resumed");
    case EventKind::paused:
      return DetailsPanel::tr("Paused");
    case EventKind::continued:
      return DetailsPanel::tr("Continued");
    case EventKind::stopped:
      return DetailsPanel::tr("Stopped");
    case EventKind::finished:
      return DetailsPanel::tr("Finished");
    case EventKind::failed:
      return DetailsPanel::tr("Failed");
    case EventKind::checkpoint:
      return DetailsPanel::tr("Checkpoint");
    case EventKind::learningRate:
      return DetailsPanel::tr("Learning rate");
    case EventKind::tested:
      return DetailsPanel::tr("Tested");
    case EventKind::warning:
      return DetailsPanel::tr("Warning");
  }
  return {};
}

QString exactCount(std::int64_t count) {
  return count > 0 ? countText(static_cast<qint64>(count)) : QString();
}

}  // namespace

DetailsPanel::DetailsPanel(RunLibrary& library, const RunTableModel& runs, QWidget* parent)
    : QScrollArea(parent), library_(library), runs_(runs) {
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setWidget(makeContent());
  saveTimer_.setSingleShot(true);
  saveTimer_.setInterval(kSaveMs);
  connect(&saveTimer_, &QTimer::timeout, this, &DetailsPanel::saveAnnotations);
  connect(&library, &RunLibrary::runChanged, this, [this](const std::filesystem::path& run) {
    if (run == run_) refresh();
  });
  connect(&library, &RunLibrary::changed, this, &DetailsPanel::refresh);
  connect(&library, &RunLibrary::metricsChanged, this, [this](const std::filesystem::path& run) {
    if (run == run_ && isVisible()) showEvents();
  });
  connect(&library,
          &RunLibrary::filesListed,
          this,
          [this](const std::filesystem::path& run, const RunFiles& files) {
            if (run == run_) showFiles(files);
          });
}

DetailsPanel::~DetailsPanel() {
  saveAnnotations();
}

QWidget* DetailsPanel::makeContent() {
  auto* content = new QWidget;
  name_ = new QLabel(content);
  name_->setProperty(kRole, u"title"_s);
  sentence_ = new QLabel(content);
  sentence_->setWordWrap(true);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* command = new QToolButton(content);
  command->setText(tr("Copy as command line"));
  command->setToolTip(tr("The command that trains such a run again"));
  auto* folder = new QToolButton(content);
  folder->setText(tr("Show the folder"));
  auto* design = new QToolButton(content);
  design->setText(tr("Open the network in Design"));
  result_ = new RunFacts(tr("Result"), content);
  network_ = new RunFacts(tr("Network"), content);
  environment_ = new RunFacts(tr("Machine"), content);
  lineage_ = new RunFacts(tr("Ancestors and forks"), content);

  auto* heading = new QHBoxLayout;
  auto* names = new QVBoxLayout;
  names->setSpacing(2);
  names->addWidget(name_);
  names->addWidget(sentence_);
  heading->addLayout(names, 1);
  for (QToolButton* button : {command, design, folder}) heading->addWidget(button, 0, Qt::AlignTop);

  std::array<QVBoxLayout*, 3> columns{};
  auto* body = new QHBoxLayout;
  body->setSpacing(32);
  for (QVBoxLayout*& column : columns) {
    column = new QVBoxLayout;
    column->setSpacing(24);
    body->addLayout(column, 1);
  }
  columns[0]->addWidget(result_);
  columns[0]->addWidget(makeAnnotations());
  columns[1]->addWidget(network_);
  columns[1]->addWidget(environment_);
  columns[1]->addWidget(lineage_);
  columns[2]->addWidget(makeFiles());
  columns[2]->addWidget(makeEvents(), 1);
  columns[0]->addStretch(1);
  columns[1]->addStretch(1);
  auto* page = new QVBoxLayout(content);
  page->setContentsMargins(16, 12, 16, 16);
  page->setSpacing(16);
  page->addLayout(heading);
  page->addLayout(body, 1);

  connect(command, &QToolButton::clicked, this, [this] {
    if (const RunRow* run = row()) QApplication::clipboard()->setText(commandFor(run->run));
  });
  connect(folder, &QToolButton::clicked, this, [this] { Q_EMIT folderClicked(run_); });
  connect(design, &QToolButton::clicked, this, [this] { Q_EMIT designClicked(run_); });
  connect(lineage_, &RunFacts::linkClicked, this, [this](const QString& link) {
    Q_EMIT runClicked(toPath(link));
  });
  return content;
}

QWidget* DetailsPanel::makeAnnotations() {
  annotations_ = new QWidget;
  auto* heading = new QLabel(tr("Tags and notes"), annotations_);
  heading->setProperty(kRole, u"heading"_s);
  tags_ = new QLineEdit(annotations_);
  tags_->setPlaceholderText(tr("Tags, separated by commas"));
  tags_->setAccessibleName(tr("Tags"));
  notes_ = new QPlainTextEdit(annotations_);
  notes_->setPlaceholderText(tr("What you want to remember of this run"));
  notes_->setAccessibleName(tr("Notes"));
  notes_->setTabChangesFocus(true);
  notes_->setFixedHeight(qRound(kNotesHeight * textScale()));
  annotationsNote_ = new QLabel(annotations_);
  annotationsNote_->setProperty(kRole, u"secondary"_s);
  annotationsNote_->setWordWrap(true);
  auto* column = new QVBoxLayout(annotations_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  for (QWidget* widget :
       std::initializer_list<QWidget*>{heading, tags_, notes_, annotationsNote_}) {
    column->addWidget(widget);
  }
  const auto edited = [this] {
    edited_ = run_;
    saveTimer_.start();
  };
  connect(tags_, &QLineEdit::textEdited, this, edited);
  connect(notes_, &QPlainTextEdit::textChanged, this, [this, edited] {
    if (!isFilling_) edited();
  });
  connect(tags_, &QLineEdit::editingFinished, this, &DetailsPanel::saveAnnotations);
  return annotations_;
}

QWidget* DetailsPanel::makeFiles() {
  files_ = new RunFacts(tr("Files"), this);
  connect(files_, &RunFacts::linkClicked, this, [this](const QString& link) {
    Q_EMIT forkClicked(run_, toPath(link));
  });
  return files_;
}

QWidget* DetailsPanel::makeEvents() {
  eventsBox_ = new QWidget;
  auto* heading = new QLabel(tr("Events"), eventsBox_);
  heading->setProperty(kRole, u"heading"_s);
  events_ = new QTableWidget(0, 3, eventsBox_);
  events_->setAccessibleName(tr("Events"));
  events_->setFrameShape(QFrame::NoFrame);
  events_->setShowGrid(false);
  events_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  events_->setSelectionBehavior(QAbstractItemView::SelectRows);
  events_->setTabKeyNavigation(false);
  events_->verticalHeader()->hide();
  events_->horizontalHeader()->hide();
  events_->horizontalHeader()->setStretchLastSection(true);
  events_->setMinimumHeight(qRound(kNotesHeight * textScale()));
  auto* column = new QVBoxLayout(eventsBox_);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(heading);
  column->addWidget(events_, 1);
  return eventsBox_;
}

void DetailsPanel::setCurrentRun(const std::filesystem::path& run) {
  if (run_ == run) return;
  saveAnnotations();
  run_ = run;
  refresh();
}

void DetailsPanel::editTags() {
  tags_->setFocus();
  tags_->selectAll();
}

void DetailsPanel::editNotes() {
  notes_->setFocus();
}

void DetailsPanel::showEvent(QShowEvent* event) {
  QScrollArea::showEvent(event);
  refresh();
}

const RunRow* DetailsPanel::row() const {
  const int index = runs_.indexOf(run_);
  return index < 0 ? nullptr : &runs_.row(index);
}

void DetailsPanel::refresh() {
  if (!isVisible()) return;
  const RunRow* run = row();
  widget()->setVisible(run);
  if (!run) return;
  name_->setText(run->name());
  sentence_->setText(sentenceFor(*run));
  sentence_->setProperty(kRole,
                         run->state == RunState::failed || run->state == RunState::damaged
                             ? u"error"_s
                             : u"secondary"_s);
  sentence_->style()->polish(sentence_);
  showResult(*run);
  showNetwork(*run);
  showEnvironment(*run);
  showLineage(*run);
  showAnnotations(*run);
  showEvents();
  files_->setFacts({{tr("Folder"), toText(run_)}});
  if (!run->isImported()) library_.listFiles(run_);
}

void DetailsPanel::showResult(const RunRow& row) {
  const RunRecord& record = row.run.record;
  std::vector<RunFacts::Fact> facts{{tr("Status"), nameOf(row.state)}};
  for (const Column column : {Column::kBestValidation,
                              Column::kTest,
                              Column::kEpochs,
                              Column::kTime,
                              Column::kImagesPerSecond,
                              Column::kStarted}) {
    RunFacts::Fact fact{columnTitle(column), cellText(row, column)};
    fact.toolTip = columnMeaning(column);
    if (column == Column::kTest && record.testAccuracy && !row.isImported()) {
      fact.value = tr("%1, scored %2")
                       .arg(percentText(*record.testAccuracy, 2),
                            countedText(record.testLooks, tr("time"), tr("times")));
    }
    facts.push_back(std::move(fact));
  }
  result_->setFacts(facts);
}

void DetailsPanel::showNetwork(const RunRow& row) {
  const RunRecord& record = row.run.record;
  const Architecture& network = record.config.architecture;
  network_->setFacts({{tr("Architecture"), QString::fromStdString(record.pattern)},
                      {tr("Name"), QString::fromStdString(network.name)},
                      {tr("Good for"), QString::fromStdString(network.description)},
                      {tr("Parameters"), exactCount(record.parameters)},
                      {tr("FLOPs"), exactCount(record.flops)}});
}

void DetailsPanel::showEnvironment(const RunRow& row) {
  const Environment& machine = row.run.record.environment;
  environment_->setFacts({{tr("Device"), cellText(row, Column::kDevice)},
                          {tr("Processor"), QString::fromStdString(machine.cpu)},
                          {tr("Machine"), QString::fromStdString(machine.host)},
                          {tr("Program"), QString::fromStdString(machine.program)},
                          {tr("LibTorch"), QString::fromStdString(machine.torch)}});
}

void DetailsPanel::showLineage(const RunRow& row) {
  std::vector<RunFacts::Fact> facts;
  const Lineage& lineage = row.run.record.lineage;
  const RunSummary* parent = row.isImported() ? nullptr : parentOf(row.run, library_.runs());
  if (parent) {
    facts.push_back({tr("Forked from"), rowOf(*parent).name(), toText(parent->path)});
  } else if (!lineage.parentRun.empty()) {
    facts.push_back({tr("Forked from"),
                     tr("%1, which is not here").arg(QString::fromStdString(lineage.parentRun))});
  }
  if (!lineage.parentRun.empty()) {
    facts.push_back({tr("At"),
                     tr("step %1, %2")
                         .arg(countText(static_cast<qint64>(lineage.parentStep)),
                              QString::fromStdString(lineage.parentCheckpoint))});
  }
  if (!row.isImported()) {
    for (const RunSummary* child : childrenOf(row.run, library_.runs())) {
      facts.push_back({tr("Fork"), rowOf(*child).name(), toText(child->path)});
    }
  }
  lineage_->setFacts(facts);
}

void DetailsPanel::showAnnotations(const RunRow& row) {
  annotations_->setVisible(!row.isImported() && row.state != RunState::damaged);
  const bool isFree = canChange(row);
  tags_->setEnabled(isFree);
  notes_->setEnabled(isFree);
  annotationsNote_->setText(
      isFree
          ? QString()
          : tr("While it is trained its record belongs to that process. Write when it is done."));
  annotationsNote_->setVisible(!isFree);
  // What is being typed is not taken away.
  if (!edited_.empty()) return;
  isFilling_ = true;
  const QString tags = tagsOf(row).join(u", "_s);
  if (tagsFrom(tags_->text()) != row.run.record.tags) tags_->setText(tags);
  const QString notes = QString::fromStdString(row.run.record.notes);
  if (notes_->toPlainText() != notes) notes_->setPlainText(notes);
  isFilling_ = false;
}

void DetailsPanel::showFiles(const RunFiles& files) {
  std::vector<RunFacts::Fact> facts{{tr("Folder"), toText(run_)},
                                    {tr("On disk"), bytesText(files.totalBytes)}};
  QString name = tr("Checkpoints");
  for (const CheckpointFile& file : files.checkpoints) {
    RunFacts::Fact fact{
        name,
        tr("%1, %2").arg(QString::fromStdString(file.path.stem().string()), bytesText(file.bytes)),
        toText(file.path),
        tr("Fork")};
    fact.toolTip = tr("Start a new run from this checkpoint, with changed settings");
    facts.push_back(std::move(fact));
    name = u" "_s;
  }
  files_->setFacts(facts);
}

void DetailsPanel::showEvents() {
  const RunRow* run = row();
  const bool hasMetrics = run && !run->isImported() && run->state != RunState::damaged;
  const auto metrics = hasMetrics ? library_.metrics(run_) : nullptr;
  eventsBox_->setVisible(metrics && !metrics->events.empty());
  events_->setRowCount(0);
  if (!metrics) return;
  events_->setRowCount(static_cast<int>(metrics->events.size()));
  events_->verticalHeader()->setDefaultSectionSize(qRound(22 * textScale()));
  int line = 0;
  // The newest on top.
  for (auto event = metrics->events.rbegin(); event != metrics->events.rend(); ++event, ++line) {
    const QString text = QString::fromStdString(event->text);
    events_->setItem(line, 0, new QTableWidgetItem(clockText(event->seconds)));
    events_->setItem(line, 1, new QTableWidgetItem(nameOf(event->kind)));
    events_->setItem(line, 2, new QTableWidgetItem(text));
    events_->item(line, 0)->setToolTip(tr("Epoch %1, step %2").arg(event->epoch).arg(event->step));
    events_->item(line, 2)->setToolTip(text);
  }
  events_->resizeColumnToContents(0);
  events_->resizeColumnToContents(1);
}

void DetailsPanel::saveAnnotations() {
  saveTimer_.stop();
  const std::filesystem::path path = std::exchange(edited_, {});
  const int index = runs_.indexOf(path);
  if (index < 0 || !canChange(runs_.row(index))) return;
  const RunRecord& record = runs_.row(index).run.record;
  const std::vector<std::string> tags = tagsFrom(tags_->text());
  const std::string notes = notes_->toPlainText().toStdString();
  if (tags != record.tags) library_.setTags(path, tags);
  if (notes != record.notes) library_.setNotes(path, notes);
}

}  // namespace lambda
