#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>
#include <QLocale>
#include <QTimer>

#include "app/interrupt.h"
#include "app/process_start.h"
#include "app/report/report_writer.h"
#include "app/studio/engine_module/load_engine.h"
#include "app/studio/main_window.h"
#include "app/studio/preferences.h"
#include "app/studio/render_experiment.h"
#include "app/studio/render_run.h"
#include "engine/experiments/experiment_folder.h"
#include "engine/runtime/error.h"
#include "engine/runtime/spin_limit.h"
#include "engine/values/text/text_safety.h"
#include "widgets/text/path_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace {

constexpr int kFailure = 1;

bool isAsked(int argc, char** argv, std::initializer_list<const char*> options) {
  for (int i = 1; i < argc; ++i) {
    for (const char* option : options) {
      if (QByteArrayView(argv[i]).startsWith(option)) return true;
    }
  }
  return false;
}

/// OpenMP's threads wait for each other many times in a step, and by default they spin for
/// milliseconds: beside the window and other programs that takes the cores from the threads they
/// wait for. OpenMP reads the variable when the engine is loaded.
void limitSpinning() {
  if (!std::getenv("OMP_WAIT_POLICY")) setenv("GOMP_SPINCOUNT", lambda::kWindowSpinCount, 0);
}

/// Qt ends the program by abort() where it can't open the display, after several messages of its
/// own.
void refuseDisplay(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  const bool isOfDisplay = QByteArrayView(context.category).startsWith("qt.qpa");
  if (type != QtFatalMsg) {
    if (!isOfDisplay) std::fprintf(stderr, "%s\n", qUtf8Printable(text));
    return;
  }
  const bool isWayland = qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  const QByteArray display = qgetenv(isWayland ? "WAYLAND_DISPLAY" : "DISPLAY");
  std::fprintf(stderr,
               "The studio can't open the display %s. Is it running, and may this user open "
               "windows on it? The program `lambda` trains without one.\n",
               lambda::terminalText(display.toStdString()).c_str());
  std::_Exit(kFailure);
}

/// Calls `write`, which returns the files that it has written.
template <class Write>
int writeWithoutWindow(Write write) {
  try {
    for (const QString& file : write()) {
      std::printf("%s\n", lambda::terminalText(file.toStdString()).c_str());
    }
  } catch (const lambda::Error& error) {
    const std::string text = lambda::terminalText(error.what(), lambda::LineBreaks::kept);
    std::fprintf(stderr, "%s\n", text.c_str());
    return kFailure;
  }
  return 0;
}

/// `source`: the folder of a run or of an experiment.
int render(const QString& source, const QString& folder) {
  if (folder.isEmpty()) {
    std::fputs("--render needs --out: the folder for the pictures.\n", stderr);
    return kFailure;
  }
  return writeWithoutWindow([&] {
    const bool isExperiment = lambda::ExperimentFolder::isAt(source.toStdString());
    return isExperiment ? lambda::renderExperiment(source, folder)
                        : lambda::renderRun(source, folder);
  });
}

/// `sources`: folders of runs, or that of an experiment.
int report(const QStringList& sources, const QString& file) {
  if (sources.isEmpty()) {
    std::fputs("--report needs the folders of runs, or that of an experiment.\n", stderr);
    return kFailure;
  }
  return writeWithoutWindow([&] {
    std::vector<std::filesystem::path> paths;
    for (const QString& source : sources) paths.push_back(lambda::toPath(source));
    lambda::writeReport(paths, file);
    return QStringList{file};
  });
}

}  // namespace

int main(int argc, char** argv) {
  lambda::prepareProcess();
  limitSpinning();
  // Pictures, reports and help need no display.
  if (isAsked(argc, argv, {"--render", "--report", "--help", "-h", "--version", "-v"}) &&
      !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  const bool hasDisplay = qEnvironmentVariableIsSet("QT_QPA_PLATFORM") ||
                          qEnvironmentVariableIsSet("DISPLAY") ||
                          qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (!hasDisplay) {
    std::fputs(
        "There is no display for the studio: neither DISPLAY nor WAYLAND_DISPLAY is set. The "
        "program `lambda` "
        "trains without one.\n",
        stderr);
    return kFailure;
  }

  QApplication::setOrganizationName(u"lambda-studio"_s);
  QApplication::setApplicationName(u"studio"_s);
  QApplication::setApplicationDisplayName(u"Lambda Studio"_s);
  QApplication::setApplicationVersion(QStringLiteral(LAMBDA_VERSION));
  QGuiApplication::setDesktopFileName(u"org.lambda_studio.LambdaStudio"_s);
  QLocale::setDefault(lambda::shownLocale());
  const QtMessageHandler usual = qInstallMessageHandler(refuseDisplay);
  QApplication application(argc, argv);
  qInstallMessageHandler(usual);
  // Qt sets the system's locale; numbers in files need a decimal point.
  std::setlocale(LC_NUMERIC, "C");

  QCommandLineParser parser;
  parser.setApplicationDescription(u"Build, train and inspect lambda networks."_s);
  parser.addHelpOption();
  const QCommandLineOption renderOption(
      u"render"_s,
      u"Write pictures of a run or an experiment and exit; needs no display."_s,
      u"FOLDER"_s);
  const QCommandLineOption reportOption(
      u"report"_s,
      u"Write a report of the runs, or of the experiment, as one page of HTML and exit; needs no "
      "display."_s,
      u"FILE"_s);
  const QCommandLineOption outOption(u"out"_s, u"The folder for the pictures."_s, u"DIR"_s);
  const QCommandLineOption versionOption({u"v"_s, u"version"_s}, u"Show the version and exit."_s);
  parser.addOptions({renderOption, outOption, reportOption, versionOption});
  parser.addPositionalArgument(u"files"_s,
                               u"Networks, runs, experiments or folders of event files to open."_s,
                               u"[files...]"_s);
  parser.process(application);
  if (parser.isSet(versionOption)) {
    std::puts("lambda-studio " LAMBDA_VERSION);
    return 0;
  }

  lambda::Preferences preferences(application);
  if (parser.isSet(renderOption))
    return render(parser.value(renderOption), parser.value(outOption));
  if (parser.isSet(reportOption))
    return report(parser.positionalArguments(), parser.value(reportOption));

  QApplication::setWindowIcon(QIcon(u":/icons/lambda-studio.svg"_s));
  lambda::MainWindow window(lambda::loadedEngine(), preferences);
  const lambda::Interrupt interrupt([&window] {
    QMetaObject::invokeMethod(
        &window, &lambda::MainWindow::closeWithoutAsking, Qt::QueuedConnection);
  });
  window.show();
  QTimer::singleShot(0, &window, [&] {
    window.openAll(parser.positionalArguments());
    if (parser.positionalArguments().isEmpty()) window.offerTour();
  });
  return QApplication::exec();
}
