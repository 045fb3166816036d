// Draws the pictures of the documents: the pages of the studio with runs in them, each when its
// content has arrived, and a figure of what one layer computes. usage: draw_pages RUNS EXPERIMENT
// OUT: RUNS is a folder of runs, one of them named "quickstart"; EXPERIMENT is the folder of an
// experiment whose runs are done.

#include <cstdio>
#include <filesystem>
#include <functional>

#include <QApplication>
#include <QDir>
#include <QPainter>
#include <QSettings>
#include <QStandardPaths>
#include <QStatusBar>
#include <QTabWidget>
#include <QTest>

#include "app/experiments/experiment_grid.h"
#include "app/experiments/experiments_page.h"
#include "app/inspect/inspect_page.h"
#include "app/inspect/panels/embeddings_panel.h"
#include "app/inspect/panels/image_panel.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_page.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/engine_module/load_engine.h"
#include "app/studio/main_window.h"
#include "app/studio/preferences.h"
#include "app/train/live/live_panel.h"
#include "engine/runtime/error.h"
#include "widgets/export/export_file.h"
#include "widgets/network/network_editor.h"
#include "widgets/pictures/heatmaps/heatmap_view.h"
#include "widgets/pictures/images/image_view.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr QSize kWindow(1440, 900);
constexpr int kPatienceMs = 1'800'000;  // On a busy machine.
constexpr int kSettleMs = 1500;         // For pictures that are fetched one after the other.
constexpr int kImage = 7;               // A square with its dot far away.
constexpr int kPartWidth = 420;
constexpr int kPartHeight = 460;
constexpr int kPartGap = 24;

class Pictures {
 public:
  Pictures(MainWindow& window,
           Preferences& preferences,
           const QString& runs,
           const QString& experiment,
           const QString& out)
      : window_(window),
        preferences_(preferences),
        runs_(runs),
        experiment_(experiment),
        out_(out) {}

  void draw() {
    RunLibrary& library = window_.workspaces().library();
    library.open({runs_.toStdString()});
    await([&] { return library.state() == LibraryState::ready && !library.runs().empty(); },
          "the runs were not read");
    for (const RunSummary& run : library.runs()) {
      if (run.record.config.name == "quickstart") quickstart_ = run;
    }
    if (quickstart_.path.empty()) throw Error(runs_.toStdString(), "has no run named quickstart");
    drawRuns();
    drawExperiment();
    drawDesign();
    drawTrain();
    drawInspect();
  }

 private:
  void drawRuns() {
    auto* page = pageOf<RunsPage>(Workspace::runs);
    QAbstractItemModel* rows = page->findChild<RunTableView*>()->model();
    for (int row = 0; row < rows->rowCount(); ++row) {
      rows->setData(rows->index(row, 0), Qt::Checked, Qt::CheckStateRole);
    }
    page->selectRun(quickstart_.path);
    save("studio-runs");
  }

  void drawExperiment() {
    auto* page = pageOf<ExperimentsPage>(Workspace::experiments);
    page->showExperiment(experiment_.toStdString());
    const auto* grid = page->findChild<ExperimentGrid*>();
    await([&] { return grid->rowCount() > 0; }, "the experiment was not read");
    save("studio-experiments");
  }

  void drawDesign() {
    window_.workspaces().document().startFrom(quickstart_.record.config);
    auto* page = window_.workspaces().page(Workspace::design);
    window_.workspaces().goTo(Workspace::design);
    auto* editor = page->findChild<NetworkEditor*>();
    editor->setSelection({blockPart(1, 1)});
    save("studio-design");
  }

  /// The run is trained once more, in the window.
  void drawTrain() {
    TrainingSession& training = window_.workspaces().training();
    auto* page = window_.workspaces().page(Workspace::train);
    window_.workspaces().goTo(Workspace::train);
    training.start(quickstart_.record.config, NewRunPlace((runs_ + u"/again"_s).toStdString()));
    await([&] { return training.isBusy(); }, "the training did not start");
    await([&] { return !training.isBusy(); }, "the training did not end");
    await([&] { return page->findChild<LivePanel*>()->shown() != nullptr; },
          "nothing was inspected");
    save("studio-train");
  }

  void drawInspect() {
    preferences_.setTheme(ThemeChoice::dark);
    auto* page = pageOf<InspectPage>(Workspace::inspect);
    page->showImage(quickstart_.path, Split::validation, kImage);
    const auto* image = page->findChild<ImagePanel*>();
    await([&] { return !image->predictionWords().isEmpty(); }, "nothing was inspected");
    save("studio-inspect");
    drawFigure(*page);
  }

  void drawFigure(const InspectPage& page) {
    auto* image = page.findChild<ImagePanel*>();
    auto* embeddings = page.findChild<EmbeddingsPanel*>();
    bringIntoView(*embeddings);
    QTest::qWait(kSettleMs);
    image->heads().setTilesPerRow(2);
    embeddings->tiles().setTilesPerRow(4);
    const QSize part(kPartWidth, kPartHeight);
    QImage figure(QSize(3 * kPartWidth + 2 * kPartGap, kPartHeight), QImage::Format_RGB32);
    figure.fill(printColors().page);
    QPainter painter(&figure);
    int left = 0;
    for (const Exportable* source : {static_cast<const Exportable*>(&image->plain()),
                                     static_cast<const Exportable*>(&image->heads()),
                                     static_cast<const Exportable*>(&embeddings->tiles())}) {
      painter.drawImage(left, 0, toImage(*source, {.size = part, .pixelRatio = 1}));
      left += kPartWidth + kPartGap;
    }
    painter.end();
    write(figure, "quickstart-inspection");
  }

  /// A panel in a tab is filled when it is looked at.
  static void bringIntoView(QWidget& panel) {
    for (QWidget* inner = &panel; inner; inner = inner->parentWidget()) {
      for (QWidget* outer = inner->parentWidget(); outer; outer = outer->parentWidget()) {
        auto* tabs = qobject_cast<QTabWidget*>(outer);
        if (tabs && tabs->indexOf(inner) >= 0) tabs->setCurrentWidget(inner);
      }
    }
  }

  template <class PageType>
  PageType* pageOf(Workspace workspace) {
    window_.workspaces().goTo(workspace);
    return dynamic_cast<PageType*>(window_.workspaces().page(workspace));
  }

  void save(const char* name) {
    QTest::qWait(kSettleMs);
    QImage image(window_.size(), QImage::Format_RGB32);
    window_.render(&image);
    write(image, name);
  }

  void write(const QImage& image, const char* name) {
    const QString path = QDir(out_).filePath(QString::fromLatin1(name) + u".png"_s);
    if (!image.save(path)) throw Error(path.toStdString(), "could not be written");
    std::printf("%s\n", path.toUtf8().constData());
  }

  static void await(const std::function<bool()>& condition, const char* problem) {
    if (!QTest::qWaitFor(condition, kPatienceMs)) throw Error("draw_pages", problem);
  }

  MainWindow& window_;
  Preferences& preferences_;
  QString runs_;
  QString experiment_;
  QString out_;
  RunSummary quickstart_;
};

}  // namespace

}  // namespace lambda

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: draw_pages RUNS EXPERIMENT OUT\n", stderr);
    return 2;
  }
  QStandardPaths::setTestModeEnabled(true);
  QApplication::setOrganizationName(u"lambda-studio-pictures"_s);
  QApplication application(argc, argv);
  QSettings().clear();
  lambda::Preferences preferences(application);
  preferences.setTheme(lambda::ThemeChoice::light);
  lambda::MainWindow window(lambda::loadedEngine(), preferences);
  window.resize(lambda::kWindow);
  // Memory and processor time are those of the moment.
  window.statusBar()->hide();
  window.show();
  try {
    lambda::Pictures(window,
                     preferences,
                     QString::fromLocal8Bit(argv[1]),
                     QString::fromLocal8Bit(argv[2]),
                     QString::fromLocal8Bit(argv[3]))
        .draw();
  } catch (const lambda::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
