#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <QtTest/QtTest>

#include "engine/experiments/experiment_folder.h"
#include "engine/experiments/read_experiment.h"
#include "engine/experiments/run_claim.h"
#include "engine/formats/files/sha256.h"
#include "engine/formats/json/experiment_json.h"
#include "engine/formats/json/run_json.h"
#include "engine/formats/metrics/metrics_json.h"
#include "engine/runs/run_comparison.h"
#include "tests/support/free_port.h"
#include "tests/support/program.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/small_data_sets.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tiny_run.h"

namespace fs = std::filesystem;
using namespace Qt::Literals::StringLiterals;

namespace lambda {

namespace {

/// Two learning rates with two seeds, a second or so of training each.
Experiment smallExperiment() {
  Experiment experiment;
  experiment.name = "rates";
  experiment.question = "Which learning rate is better?";
  experiment.base = tinyRun();
  experiment.base.recipe.epochs = 2;
  experiment.base.device.threads = 1;
  experiment.base.checkpoints.everyMinutes = 1e-6;
  experiment.axes = {Axis{.path = "recipe.optimizer.learningRate", .values = {"0.1", "0.05"}}};
  experiment.seeds = {0, 1};
  experiment.measures = {Measure{Quantity::testAccuracy}};
  return experiment;
}

void write(const Experiment& experiment, const fs::path& file) {
  std::ofstream(file) << toJson(experiment);
}

std::vector<pid_t> childrenOf(qint64 process) {
  const std::string pid = std::to_string(process);
  std::ifstream list("/proc/" + pid + "/task/" + pid + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

int eventsOf(const fs::path& run, EventKind kind) {
  const Metrics metrics = readMetrics(run / "metrics.jsonl");
  return static_cast<int>(std::ranges::count(metrics.events, kind, &EventRecord::kind));
}

}  // namespace

/// The command `lambda experiment`, as people, scripts and clusters use it.
class TestExperimentCommands : public QObject {
  Q_OBJECT

 private Q_SLOTS:

  void processesOfALauncherShareTheRunsOut() {
    const TemporaryFolder folder;
    write(smallExperiment(), folder.path() / "rates.json");
    std::vector<std::unique_ptr<QProcess>> ranks;
    const QString port = QString::number(test::freePort());
    for (int rank = 0; rank < 3; ++rank) {
      Program program(folder.path());
      program.set(u"RANK"_s, QString::number(rank));
      program.set(u"WORLD_SIZE"_s, u"3"_s);
      program.set(u"MASTER_ADDR"_s, u"127.0.0.1"_s);
      program.set(u"MASTER_PORT"_s, port);
      ranks.push_back(program.start({u"experiment"_s, u"run"_s, u"rates.json"_s}));
    }
    QByteArray begun;
    for (const auto& each : ranks) {
      const ProgramOutcome outcome = Program::end(*each);
      QVERIFY2(outcome.status == 0, outcome.errors.constData());
      begun += outcome.errors;
    }
    // Each of the four runs begins once, and is trained by one process.
    QCOMPARE(begun.count("begins "), 4);
    const ProgramOutcome shown =
        Program(folder.path()).run({u"experiment"_s, u"show"_s, u"rates"_s, u"--json"_s});
    QCOMPARE(shown.json()[u"results"_s].toArray()[0][u"variants"_s][1][u"count"_s].toInt(), 2);
  }

  void anExperimentIsRunShownAndReported() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    write(smallExperiment(), folder.path() / "rates.json");
    const ProgramOutcome plan =
        program.run({u"experiment"_s, u"run"_s, u"rates.json"_s, u"--dry-run"_s, u"--json"_s});
    QCOMPARE(plan.status, 0);
    QCOMPARE(plan.json()[u"runs"_s].toInt(), 4);
    QVERIFY(plan.json()[u"seconds"_s].toDouble() > 0);
    const QJsonArray machines = plan.json()[u"onMachines"_s].toArray();
    QCOMPARE(machines.size(), 2);  // 2 and 4, as many as there are runs.
    QCOMPARE(machines[1][u"machines"_s].toInt(), 4);
    QVERIFY(machines[1][u"seconds"_s].toDouble() < machines[0][u"seconds"_s].toDouble());
    QVERIFY2(!fs::exists(folder.path() / "experiments"), "a dry run leaves nothing behind");

    const ProgramOutcome ran = program.run(
        {u"experiment"_s, u"run"_s, u"rates.json"_s, u"--parallel"_s, u"2"_s, u"--json"_s});
    QVERIFY2(ran.status == 0, ran.errors.constData());
    const QJsonArray results = ran.json()[u"results"_s].toArray();
    QCOMPARE(results.size(), 1);
    const QJsonObject second = results[0][u"variants"_s][1].toObject();
    QCOMPARE(second[u"count"_s].toInt(), 2);
    QCOMPARE(second[u"difference"_s][u"count"_s].toInt(), 2);

    const ProgramOutcome again = program.run({u"experiment"_s, u"run"_s, u"rates"_s});
    QCOMPARE(again.status, 0);
    QVERIFY2(!again.errors.contains("begins"), "what is done is not trained again");
    QVERIFY(program.run({u"experiment"_s, u"show"_s, u"rates"_s})
                .output.contains("learningRate = 0.05"));
    QVERIFY(program.run({u"experiment"_s, u"list"_s}).output.contains("all runs done"));
    QCOMPARE(program.run({u"experiment"_s, u"report"_s, u"rates"_s, u"--out"_s, u"one"_s}).status,
             0);
    program.run({u"experiment"_s, u"report"_s, u"rates"_s, u"--out"_s, u"two"_s});
    QCOMPARE(program.runScript(u"diff -r -x figures one two && ls -I figures one"_s).output,
             QByteArray("report.md\nreport.tex\nresults.csv\nruns.csv\n"));
    // The pictures that the report shows are there; without the studio it shows none.
    const bool hasStudio = fs::exists(fs::path(LAMBDA_PROGRAM).parent_path() / "lambda-studio");
    const ProgramOutcome shown = program.runScript(
        u"grep -o 'figures/[^)]*png' one/report.md | while read f; do test -s one/$f && "
        "echo $f; done"_s);
    QCOMPARE(shown.output.contains("figures/curves-validationAccuracy.png"), hasStudio);
    QCOMPARE(fs::exists(folder.path() / "one/figures"), hasStudio);

    const ProgramOutcome more =
        program.run({u"experiment"_s, u"run"_s, u"rates"_s, u"--add-seeds"_s, u"1"_s, u"--json"_s});
    QCOMPARE(more.json()[u"runs"_s].toArray().size(), 6);
    const fs::path runs = folder.path() / "experiments/rates/runs";
    const ProgramOutcome info = program.run(
        {u"info"_s, QString::fromStdString((runs / "1-learningRate-0.1_seed-0").string())});
    QVERIFY(info.output.contains("rates, variant learningRate = 0.1"));
  }

  void missingImagesAreNamedBeforeAnythingRuns() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.base.data.source = Cifar10Source{"nowhere"};
    write(experiment, folder.path() / "rates.json");
    const QByteArray reason = "nowhere: the data is not here";
    const QStringList run{u"experiment"_s, u"run"_s, u"rates.json"_s};
    const ProgramOutcome refused = program.run(run);
    QCOMPARE(refused.status, 1);
    QVERIFY2(refused.errors.contains(reason), refused.errors.constData());
    QVERIFY(!fs::exists(folder.path() / "experiments"));
    const ProgramOutcome plan = program.run(run + QStringList{u"--dry-run"_s});
    QCOMPARE(plan.status, 0);
    QVERIFY2(plan.errors.contains(reason), plan.errors.constData());

    const auto created = ExperimentFolder::create(folder.path() / "experiments", experiment);
    const ProgramOutcome later = program.run({u"experiment"_s, u"run"_s, u"rates"_s});
    QCOMPARE(later.status, 1);
    QVERIFY2(later.errors.contains(reason), later.errors.constData());
    QCOMPARE(readExperiment(created).countOf(CellState::waiting), std::size_t{4});
  }

  void aVariantThatDoesNotFitTheImagesIsNamedBeforeAnythingRuns() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    writePictures(folder.path() / "pictures", 20);
    Experiment experiment = smallExperiment();
    experiment.base.data.source = ImageFolderSource{.path = "pictures", .size = 32};
    experiment.base.data.validationCount = 8;
    experiment.base.architecture.outputs = 2;
    experiment.base.recipe.batchSize = 8;
    experiment.axes.clear();
    experiment.variants = {{"two classes", {}}, {"three classes", {"architecture.classes=3"}}};
    write(experiment, folder.path() / "classes.json");
    const ProgramOutcome refused = program.run({u"experiment"_s, u"run"_s, u"classes.json"_s});
    QCOMPARE(refused.status, 2);
    QVERIFY2(refused.errors.contains("variant three classes"), refused.errors.constData());
    QVERIFY2(refused.errors.contains("architecture.classes"), refused.errors.constData());
    QVERIFY(!fs::exists(folder.path() / "experiments"));
  }

  void runsOfAnExperimentHaveTheSameData() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    const fs::path pictures = folder.path() / "pictures";
    writePictures(pictures, 20);
    Experiment experiment = smallExperiment();
    experiment.name = "data";
    experiment.base.data.source = ImageFolderSource{.path = pictures.string(), .size = 32};
    experiment.base.data.validationCount = 8;
    experiment.base.architecture.outputs = 2;
    experiment.base.recipe.batchSize = 8;
    experiment.axes.clear();
    experiment.variants = {{"only", {}}};
    experiment.seeds = {0};
    write(experiment, folder.path() / "data.json");
    const ProgramOutcome first = program.run({u"experiment"_s, u"run"_s, u"data.json"_s});
    QVERIFY2(first.status == 0, first.errors.constData());
    fs::remove(fs::directory_iterator(pictures / "red")->path());
    const QStringList more{u"experiment"_s, u"run"_s, u"experiments/data"_s};
    const ProgramOutcome refused = program.run(more + QStringList{u"--add-seeds"_s, u"1"_s});
    QCOMPARE(refused.status, 1);
    const auto there = ExperimentFolder::open(folder.path() / "experiments/data");
    QVERIFY(readExperiment(there).cells[1].text.find("has changed") != std::string::npos);
    const ProgramOutcome accepted =
        program.run(more + QStringList{u"--retry"_s, u"--changed-data"_s, u"warn"_s});
    QVERIFY2(accepted.status == 0, accepted.errors.constData());
    const ExperimentState state = readExperiment(there);
    QCOMPARE(state.countOf(CellState::done), std::size_t{2});
    QVERIFY(state.warnings.at(0).find("different images") != std::string::npos);
  }

  void aStudentIsTrainedOnceItsTeacherIsDone() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.name = "labels";
    experiment.axes.clear();
    experiment.variants = {
        {"teacher", {"data.labelledPerClass=6"}},
        {"student", {"data.labelledPerClass=6", "data.pseudoLabelThreshold=0.11"}, "teacher"},
        {"bad teacher", {"data.labelledPerClass=6", "start.weights=missing.pth"}},
        {"its student", {"data.labelledPerClass=6"}, "bad teacher"}};
    experiment.seeds = {0};
    write(experiment, folder.path() / "labels.json");
    const ProgramOutcome ran = program.run(
        {u"experiment"_s, u"run"_s, u"labels.json"_s, u"--parallel"_s, u"2"_s, u"--json"_s});
    QCOMPARE(ran.status, 1);
    const auto experimentFolder = ExperimentFolder::open(folder.path() / "experiments/labels");
    const ExperimentState state = readExperiment(experimentFolder);
    QCOMPARE(state.cells[0].state, CellState::done);
    QVERIFY2(state.cells[1].state == CellState::done, state.cells[1].text.c_str());
    QCOMPARE(state.cells[2].state, CellState::failed);
    QCOMPARE(state.cells[3].state, CellState::failed);
    QCOMPARE(state.cells[3].text, std::string("Its teacher, bad teacher, failed."));
    const PlannedRun student = experimentFolder.plan().runs[1];
    std::vector<Problem> warnings;
    const RunRecord record =
        readRunRecord(experimentFolder.runFolder(student) / "run.json", warnings);
    QCOMPARE(record.config.data.pseudoLabels, experimentFolder.labels(student).string());
    QCOMPARE(record.config.data.pseudoLabelsSha256, sha256OfFile(experimentFolder.labels(student)));
  }

  void theWorseHalfOfTheVariantsEndsEarly() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.base.recipe.epochs = 3;
    experiment.axes[0].values = {"0.05", "0.0001", "0.1", "0"};
    experiment.seeds = {0};
    write(experiment, folder.path() / "rates.json");
    const QStringList undisturbed{
        u"experiment"_s, u"run"_s, u"rates.json"_s, u"--out"_s, u"undisturbed"_s};
    QCOMPARE(program.run(undisturbed).status, 0);
    experiment.halving.firstEpochs = 1;
    write(experiment, folder.path() / "rates.json");
    const ProgramOutcome ran = program.run({u"experiment"_s, u"run"_s, u"rates.json"_s});
    QVERIFY2(ran.status == 0, ran.errors.constData());
    QVERIFY(ran.output.contains("early ends after 1 and 2 epochs"));

    const auto halved = ExperimentFolder::open(folder.path() / "experiments/rates");
    const ExperimentState state = readExperiment(halved);
    QCOMPARE(state.countOf(CellState::done) + state.countOf(CellState::ended), std::size_t{4});
    QCOMPARE(state.cells[0].state, CellState::done);
    std::vector<int> epochs;
    for (const ExperimentCell& cell : state.cells) epochs.push_back(cell.epochsDone);
    std::ranges::sort(epochs);
    QVERIFY2(epochs[0] == 1 && epochs[3] == 3, "one ends after the first epoch, one never");
    const auto whole = ExperimentFolder::open(folder.path() / "undisturbed/rates");
    const PlannedRun baseline = halved.plan().runs[0];
    QVERIFY2(compareRuns(halved.runFolder(baseline), whole.runFolder(baseline)).areEqual(),
             "runs that go on have the bits of runs that were never held back");
  }

  void twoWorkersThatAreKilledTrainEachRunOnce() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    shapes10Of(experiment.base).trainCount = 1200;
    write(experiment, folder.path() / "rates.json");
    const QStringList command{u"experiment"_s, u"run"_s, u"rates.json"_s, u"--quiet"_s};
    const QStringList undisturbed{
        u"experiment"_s, u"run"_s, u"rates.json"_s, u"--out"_s, u"undisturbed"_s};
    QCOMPARE(program.run(undisturbed).status, 0);

    std::mt19937 random(1);
    std::unique_ptr<QProcess> workers[2];
    int kills = 0;
    QElapsedTimer time;
    time.start();
    for (bool isDone = false; !isDone && time.elapsed() < 90000;) {
      for (auto& worker : workers) {
        if (!worker || worker->state() == QProcess::NotRunning) worker = program.start(command);
      }
      auto& victim = workers[random() % 2];
      isDone = victim->waitForFinished(static_cast<int>(200 + random() % 900)) &&
               victim->exitStatus() == QProcess::NormalExit && victim->exitCode() == 0;
      if (isDone) break;
      if (kills < 12 && victim->state() == QProcess::Running) {
        // The training of a killed worker saves and ends, unless it is killed as well.
        const std::vector<pid_t> trainings = childrenOf(victim->processId());
        victim->kill();
        if (kills++ % 2 == 0) {
          for (const pid_t training : trainings) ::kill(training, SIGKILL);
        }
        victim->waitForFinished();
      }
    }
    for (auto& worker : workers) {
      const ProgramOutcome outcome = Program::end(*worker);
      QVERIFY2(outcome.status == 0, (outcome.errors + outcome.output).constData());
    }
    QVERIFY(kills > 2);

    const ExperimentFolder done = ExperimentFolder::open(folder.path() / "experiments/rates");
    const ExperimentFolder reference = ExperimentFolder::open(folder.path() / "undisturbed/rates");
    const ExperimentState state = readExperiment(done);
    QCOMPARE(state.countOf(CellState::done), std::size_t{4});
    for (const PlannedRun& run : done.plan().runs) {
      QCOMPARE(eventsOf(done.runFolder(run), EventKind::started), 1);
      QCOMPARE(eventsOf(done.runFolder(run), EventKind::tested), 1);
      const RunComparison comparison = compareRuns(done.runFolder(run), reference.runFolder(run));
      QVERIFY2(comparison.areEqual(), "killed workers give the bits of an undisturbed one");
    }
    for (const fs::path& swept : {done.path(), done.claims(), done.path() / "configurations"}) {
      for (const auto& each : fs::directory_iterator(swept)) {
        const std::string name = each.path().filename().string();
        QVERIFY2(swept != done.claims() && !name.starts_with("."), each.path().c_str());
      }
    }
  }

  void theClaimOfAWorkerThatDiesAfterItsRunIsRemoved() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment small = smallExperiment();
    shapes10Of(small.base).trainCount = 1200;
    write(small, folder.path() / "rates.json");
    const QStringList command{u"experiment"_s, u"run"_s, u"rates.json"_s, u"--quiet"_s};
    QCOMPARE(program.run(command).status, 0);
    const auto experiment = ExperimentFolder::open(folder.path() / "experiments/rates");
    const std::vector<PlannedRun>& runs = experiment.plan().runs;
    fs::remove_all(experiment.runFolder(runs.back()));

    const std::string name = experiment.nameOf(runs.front());
    const pid_t owner = ::fork();
    if (owner == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      auto claim = RunClaim::take(experiment.claims(), name);
      while (true) ::pause();
    }
    const auto isTaken = [&] { return isClaimed(experiment.claims(), name); };
    QVERIFY(QTest::qWaitFor(isTaken, 60000));
    const auto worker = program.start(command);
    QVERIFY(QTest::qWaitFor([&] { return fs::exists(experiment.runFolder(runs.back())); }, 60000));
    QVERIFY2(isTaken(), "the worker leaves it alone");
    ::kill(owner, SIGKILL);
    ::waitpid(owner, nullptr, 0);
    QCOMPARE(Program::end(*worker).status, 0);
    QVERIFY(fs::is_empty(experiment.claims()));
  }

  void aRunOfAKilledWorkerContinuesWhereItsTrainingSaved() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.axes.clear();
    experiment.variants = {{"only", {}}};
    experiment.seeds = {0};
    experiment.base.recipe.epochs = 40;
    write(experiment, folder.path() / "rates.json");
    const QStringList command{u"experiment"_s, u"run"_s, u"rates.json"_s, u"--quiet"_s};
    const auto first = program.start(command);
    const fs::path place = folder.path() / "experiments/rates";
    const fs::path run = place / "runs/1-only_seed-0";
    QVERIFY(
        QTest::qWaitFor([&] { return fs::exists(run / "checkpoints/best.safetensors"); }, 30000));
    first->kill();
    first->waitForFinished();
    const auto second = program.start(command);
    QCOMPARE(Program::end(*second).status, 0);
    QCOMPARE(eventsOf(run, EventKind::started), 1);
    QCOMPARE(eventsOf(run, EventKind::resumed), 1);
    QCOMPARE(eventsOf(run, EventKind::tested), 1);
    QVERIFY(fs::is_empty(place / "claims"));
  }

  void machinesShareTheRunsOutInParts() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.axes.clear();
    experiment.variants = {
        {"teacher", {"data.labelledPerClass=6"}},
        {"student", {"data.labelledPerClass=6", "data.pseudoLabelThreshold=0.11"}, "teacher"}};
    write(experiment, folder.path() / "rates.json");
    const auto run = [&](const QString& part, const QString& out) {
      return program.run(
          {u"experiment"_s, u"run"_s, u"rates.json"_s, u"--part"_s, part, u"--out"_s, out});
    };
    const ProgramOutcome ran = run(u"0/2"_s, u"one"_s);
    QVERIFY2(ran.status == 0, ran.errors.constData());
    const auto one = ExperimentFolder::open(folder.path() / "one/rates");
    // Both of seed 0: the student, which is the second run, is trained where its teacher is.
    for (const PlannedRun& each : one.plan().runs) {
      QCOMPARE(fs::exists(one.runFolder(each) / "run.json"), each.seed == 0);
    }
    QCOMPARE(run(u"1/2"_s, u"two"_s).status, 0);
    QCOMPARE(program.runScript(u"cp -r two/rates/. one/rates"_s).status, 0);
    QCOMPARE(readExperiment(one).countOf(CellState::done), std::size_t{4});

    for (const char* wrong : {"2/2", "-1/2", "1", "1/2x", "a/2", "0/0"}) {
      const ProgramOutcome refused = run(QString::fromLatin1(wrong), u"three"_s);
      QCOMPARE(refused.status, 2);
      QVERIFY2(refused.errors.contains("--part"), refused.errors.constData());
    }
    QVERIFY(!fs::exists(folder.path() / "three"));
    experiment = smallExperiment();
    experiment.halving.firstEpochs = 1;
    write(experiment, folder.path() / "rates.json");
    QVERIFY(run(u"0/2"_s, u"four"_s).errors.contains("early"));
    QVERIFY2(!fs::exists(folder.path() / "four"), "it is refused before anything is made");
  }

  void aRunThatFailsEndsAloneAndIsRetried() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.axes = {};
    experiment.seeds = {0};
    experiment.variants = {{"good", {}}, {"bad", {"start.weights=\"weights.pth\""}}};
    write(experiment, folder.path() / "rates.json");
    const ProgramOutcome ran = program.run({u"experiment"_s, u"run"_s, u"rates.json"_s});
    QCOMPARE(ran.status, 1);
    QVERIFY2(ran.errors.contains("failed     bad, seed 0: lambda: "), ran.errors.constData());
    QVERIFY(ran.output.contains("1 of 2 runs are not done: 1 failed."));
    QVERIFY2(!program.run({u"experiment"_s, u"run"_s, u"rates"_s}).errors.contains("begins"),
             "a failed run is not repeated unasked");
    const ProgramOutcome retried =
        program.run({u"experiment"_s, u"run"_s, u"rates"_s, u"--retry"_s});
    QVERIFY(retried.errors.contains("begins     bad, seed 0"));
  }

  void aReportReplacesAndRemovesNoOtherFile() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.seeds = {0};
    write(experiment, folder.path() / "rates.json");
    const ProgramOutcome outcome = program.runScript(
        u"\"$LAMBDA\" experiment run rates.json --quiet && mkdir report && "
        u"echo mine >report/figures.log && \"$LAMBDA\" experiment report rates --out report && "
        u"cat report/figures.log"_s);
    QVERIFY2(outcome.status == 0, outcome.errors.constData());
    QVERIFY2(outcome.output.endsWith("mine\n"), outcome.output.constData());
  }

  void aTheoryExperimentStandsBesideItsSource() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    const ProgramOutcome ran = program.run({u"experiment"_s,
                                            u"run"_s,
                                            u"kernel-regression"_s,
                                            u"--set"_s,
                                            u"points=6"_s,
                                            u"--out"_s,
                                            u"figures"_s,
                                            u"--json"_s});
    QVERIFY2(ran.status == 0, ran.errors.constData());
    const QJsonArray numbers = ran.json()[u"numbers"_s].toArray();
    QCOMPARE(numbers.last()[u"published"_s].toDouble(), 0.0);
    QVERIFY(numbers.last()[u"value"_s].toDouble() < 1e-9);
    std::ifstream figure(folder.path() / "figures/figure-1.csv");
    std::string head;
    QVERIFY(std::getline(figure, head) && head.starts_with("series,"));

    const auto refused = [&](const QString& setting) {
      return program.run({u"experiment"_s, u"run"_s, u"kernel-regression"_s, u"--set"_s, setting});
    };
    QCOMPARE(refused(u"point=6"_s).status, 2);
    QCOMPARE(refused(u"points=many"_s).status, 2);
    QVERIFY(refused(u"points=1e9"_s).errors.contains("points"));
    const QStringList options[] = {
        {u"--part"_s, u"0/2"_s}, {u"--dry-run"_s}, {u"--seeds"_s, u"1"_s}};
    for (const QStringList& option : options) {
      const ProgramOutcome outcome =
          program.run(QStringList{u"experiment"_s, u"run"_s, u"kernel-regression"_s} + option);
      QCOMPARE(outcome.status, 2);
      QVERIFY2(outcome.errors.contains(option[0].toUtf8()), outcome.errors.constData());
    }
    QVERIFY(program.run({u"experiment"_s, u"list"_s}).output.contains("small-initialisation"));
  }

  void whatCannotBeRunIsNamedBeforeAnythingRuns() {
    const TemporaryFolder folder;
    const Program program(folder.path());
    Experiment experiment = smallExperiment();
    experiment.axes.push_back({.path = "recipe.optimizer.learningRat", .values = {"1"}});
    experiment.seeds = {1, 1};
    write(experiment, folder.path() / "wrong.json");
    const ProgramOutcome wrong = program.run({u"experiment"_s, u"run"_s, u"wrong.json"_s});
    QCOMPARE(wrong.status, 2);
    QVERIFY2(wrong.errors.contains("axes[1]") && wrong.errors.contains("seeds"),
             wrong.errors.constData());
    QVERIFY(!fs::exists(folder.path() / "experiments"));
    QCOMPARE(program.run({u"experiment"_s, u"run"_s, u"no-such"_s}).status, 1);
    QCOMPARE(program.run({u"experiment"_s, u"show"_s, u"no-such"_s}).status, 1);
    QCOMPARE(program.run({u"experiment"_s}).status, 2);

    write(smallExperiment(), folder.path() / "rates.json");
    ExperimentFolder::create(folder.path() / "experiments", smallExperiment());
    const ProgramOutcome changed =
        program.run({u"experiment"_s, u"run"_s, u"rates"_s, u"--set"_s, u"recipe.epochs=9"_s});
    QCOMPARE(changed.status, 2);
    QVERIFY(changed.errors.contains("this experiment has begun"));
    const ProgramOutcome other =
        program.run({u"experiment"_s, u"run"_s, u"rates.json"_s, u"--set"_s, u"recipe.epochs=9"_s});
    QVERIFY(other.errors.contains("another experiment of the same name"));
  }
};

}  // namespace lambda

QTEST_GUILESS_MAIN(lambda::TestExperimentCommands)
#include "tst_experiment_commands.moc"
