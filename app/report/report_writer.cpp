#include "app/report/report_writer.h"

#include <memory>
#include <string>

#include <QFileDialog>

#include "app/report/report_html.h"
#include "engine/runs/run_folder.h"
#include "engine/runtime/error.h"
#include "widgets/export/export_folder.h"
#include "widgets/export/saved_file.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// Throws Error where the file can't be written.
void save(const QString& file, const QByteArray& page) {
  const QString problem = saveFile(file, page);
  if (problem.isEmpty()) return;
  throw Error(file.toStdString(),
              "the report could not be written: " + problem.toStdString(),
              "Choose another folder.");
}

}  // namespace

void writeReport(const std::vector<std::filesystem::path>& sources, const QString& file) {
  const ReportContent content = readReport(sources);
  save(file, reportHtml(content, drawFigures(content)));
}

ReportWriter::ReportWriter(QWidget& window) : QObject(&window), window_(window) {}

void ReportWriter::ask(const std::vector<std::filesystem::path>& sources) {
  const std::string name =
      sources.size() == 1 ? sources.front().filename().string() : std::string("comparison");
  auto* dialog = new QFileDialog(&window_, u"Write a report"_s, exportFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(u"Page (*.html)"_s);
  dialog->setDefaultSuffix(u"html"_s);
  dialog->selectFile(QString::fromStdString(RunFolder::nameFor(name) + "-report.html"));
  connect(dialog, &QFileDialog::fileSelected, this, &rememberExport);
  connect(dialog, &QFileDialog::fileSelected, this, [this, sources](const QString& file) {
    write(sources, file);
  });
  dialog->open();
}

void ReportWriter::write(const std::vector<std::filesystem::path>& sources, const QString& file) {
  const auto fail = [this](const QString& reason) { Q_EMIT failed(reason); };
  tasks_.run([sources] { return std::make_shared<const ReportContent>(readReport(sources)); },
             [this, file, fail](const std::shared_ptr<const ReportContent>& content) {
               tasks_.run(
                   [content, file, figures = drawFigures(*content)] {
                     save(file, reportHtml(*content, figures));
                   },
                   [this, file] { Q_EMIT written(file); },
                   fail);
             },
             fail);
}

}  // namespace lambda
