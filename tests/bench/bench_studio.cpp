// Measures the responsiveness of the studio: the time to the first paint, memory at rest, the delay
// of the GUI's timer ticks while a training uses all cores, and how much the window slows down the
// training. Prints one JSON object.
// usage: xvfb-run -a -s "-screen 0 1920x1080x24" build/release/bench/bench_studio

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <unistd.h>
#include <vector>

#include <QApplication>
#include <QElapsedTimer>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTimer>

#include <time.h>

#include "app/runs/run_library.h"
#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/engine_module/load_engine.h"
#include "app/studio/main_window.h"
#include "app/studio/preferences.h"
#include "engine/formats/json/presets.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kTickMs = 10;
constexpr int kRestMs = 3000;
constexpr int kEpochs = 4;

/// Seconds since the kernel started this process.
double processSeconds() {
  std::ifstream stat("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::string field;
  constexpr int kStartTimeField = 20;  // Counted from 1, after the name.
  for (int i = 0; i < kStartTimeField; ++i) fields >> field;
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) -
         std::stod(field) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double residentMegabytes() {
  std::ifstream statm("/proc/self/statm");
  long pages = 0;
  long resident = 0;
  statm >> pages >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[std::min(values.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

/// Records when a widget was painted for the first time.
class FirstPaint : public QObject {
 public:
  explicit FirstPaint(QObject* parent) : QObject(parent) {}

  std::optional<double> seconds;

  bool eventFilter(QObject* /*watched*/, QEvent* event) override {
    if (event->type() == QEvent::Paint && !seconds) {
      QTimer::singleShot(0, this, [this] { seconds = processSeconds(); });
    }
    return false;
  }
};

RunConfig benchConfig() {
  std::vector<Problem> warnings;
  RunConfig config = loadPreset("quickstart", warnings);
  config.recipe.epochs = kEpochs;
  return config;
}

/// Makes the measurements one after the other, from the event loop.
class Bench : public QObject {
 public:
  Bench(MainWindow& window, FirstPaint& firstPaint, const QString& folder)
      : window_(window), firstPaint_(firstPaint), folder_(folder) {
    QTimer::singleShot(kRestMs, this, [this] { train(); });
  }

 private:
  void train() {
    result_[u"firstPaintSeconds"_s] = firstPaint_.seconds.value_or(-1);
    result_[u"restMegabytes"_s] = residentMegabytes();
    // Measured before and after, so that a machine that gets faster or slower favours neither side.
    headlessBefore_ = headlessImagesPerSecond();
    TrainingSession& session = window_.workspaces().training();
    window_.workspaces().goTo(Workspace::train);
    connect(&session, &TrainingSession::started, this, [this] {
      clock_.start();
      ticks_.setTimerType(Qt::PreciseTimer);
      ticks_.start(kTickMs);
    });
    connect(&ticks_, &QTimer::timeout, this, [this] {
      late_.push_back(std::max(0.0, static_cast<double>(clock_.nsecsElapsed()) / 1e6 - kTickMs));
      clock_.restart();
    });
    connect(
        &session, &TrainingSession::ended, this, [this](const RunResult& result) { end(result); });
    session.start(benchConfig(), NewRunPlace(folder_.toStdString()));
  }

  void end(const RunResult& result) {
    ticks_.stop();
    result_[u"ticks"_s] = static_cast<qint64>(late_.size());
    result_[u"tickLateMs95"_s] = percentile(late_, 0.95);
    result_[u"tickLateMs99"_s] = percentile(late_, 0.99);
    result_[u"tickLateMsMost"_s] = percentile(late_, 1);
    result_[u"trainingMegabytes"_s] = residentMegabytes();
    result_[u"imagesPerSecond"_s] = result.imagesPerSecond;
    const double headless = (headlessBefore_ + headlessImagesPerSecond()) / 2;
    result_[u"headlessImagesPerSecond"_s] = headless;
    result_[u"speedOfHeadless"_s] = headless > 0 ? result.imagesPerSecond / headless : 0;
    std::printf("%s", QJsonDocument(result_).toJson().constData());
    window_.close();
  }

  /// Images per second of the same training on the command line.
  double headlessImagesPerSecond() const {
    QProcess process;
    process.start(QApplication::applicationDirPath() + u"/../lambda"_s,
                  {u"train"_s,
                   u"quickstart"_s,
                   u"--epochs"_s,
                   QString::number(kEpochs),
                   u"--out"_s,
                   folder_,
                   u"--json"_s,
                   u"--quiet"_s});
    process.waitForFinished(-1);
    return QJsonDocument::fromJson(process.readAllStandardOutput())
        .object()
        .value(u"imagesPerSecond"_s)
        .toDouble();
  }

  MainWindow& window_;
  FirstPaint& firstPaint_;
  QString folder_;
  QJsonObject result_;
  QTimer ticks_;
  QElapsedTimer clock_;
  std::vector<double> late_;
  double headlessBefore_ = 0;
};

}  // namespace

}  // namespace lambda

int main(int argc, char** argv) {
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(u"lambda-studio-bench"_s);
  QApplication application(argc, argv);
  const QTemporaryDir folder;
  lambda::Preferences preferences(application);
  lambda::MainWindow window(lambda::loadedEngine(), preferences);
  window.resize(1600, 1000);
  lambda::FirstPaint firstPaint(&window);
  window.installEventFilter(&firstPaint);
  window.show();
  const lambda::Bench bench(window, firstPaint, folder.path());
  return QApplication::exec();
}
