#include "app/session/documents/export_dialog.h"

#include <algorithm>
#include <string_view>

#include <QFileDialog>

#include "widgets/export/export_folder.h"

using namespace Qt::StringLiterals;

namespace lambda {

void askForExport(QWidget& parent,
                  const QString& title,
                  const QString& stem,
                  const std::vector<RunExport>& formats,
                  const std::function<void(const QString& path, RunExport format)>& then) {
  QStringList filters;
  for (const RunExport format : formats) {
    const std::string_view ending = traitsOf(format).ending;
    filters << u"%1 (*%2)"_s.arg(QString::fromUtf8(traitsOf(format).title),
                                 QString::fromUtf8(ending.substr(ending.find('.'))));
  }
  const auto formatOf = [formats, filters](const QString& filter) {
    return formats[static_cast<std::size_t>(std::max<qsizetype>(0, filters.indexOf(filter)))];
  };
  auto* dialog = new QFileDialog(&parent, title, exportFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilters(filters);
  const auto suggestName = [dialog, stem, formatOf](const QString& filter) {
    const QString ending = QString::fromUtf8(traitsOf(formatOf(filter)).ending);
    dialog->setDefaultSuffix(ending.section(u'.', -1));
    dialog->selectFile(stem + ending);
  };
  QObject::connect(dialog, &QFileDialog::filterSelected, dialog, suggestName);
  suggestName(filters.front());
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, &rememberExport);
  QObject::connect(
      dialog, &QFileDialog::fileSelected, &parent, [dialog, formatOf, then](const QString& path) {
        then(path, formatOf(dialog->selectedNameFilter()));
      });
  dialog->open();
}

}  // namespace lambda
