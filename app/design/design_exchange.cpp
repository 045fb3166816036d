#include <QApplication>
#include <QClipboard>
#include <QMimeData>

#include "app/design/design_page.h"
#include "app/design/network_clipboard.h"
#include "app/design/notice_line.h"
#include "app/session/documents/export_dialog.h"
#include "app/session/documents/project_document.h"
#include "engine/formats/files/durable_file.h"
#include "engine/runtime/error.h"
#include "widgets/network/network_editor.h"
#include "widgets/text/path_text.h"

// The page exchanges networks with other programs by the clipboard and by exported files.

using namespace Qt::StringLiterals;

namespace lambda {

void DesignPage::copyToClipboard(const NetworkFragment& fragment) {
  QApplication::clipboard()->setMimeData(mimeDataOf(fragment).release());
}

void DesignPage::pasteFromClipboard() {
  QString reason;
  const std::optional<NetworkFragment> fragment =
      fragmentFrom(QApplication::clipboard()->mimeData(), reason);
  if (fragment) {
    editor_->paste(*fragment);
    editor_->setFocus();
  } else {
    notice_->tell(u"Could not paste: %1"_s.arg(reason), true);
  }
}

void DesignPage::askForFile() {
  std::vector<RunExport> formats;
  for (std::size_t i = 0; i < kRunExports.size(); ++i) {
    if (kRunExports[i].form == ExportForm::network) formats.push_back(static_cast<RunExport>(i));
  }
  askForExport(*this,
               u"Export the network"_s,
               editor_->exportName(),
               formats,
               [this](const QString& path, RunExport format) { exportTo(path, format); });
}

void DesignPage::exportTo(const QString& path, RunExport format) {
  const auto write = [config = document_.config(), path, format]() -> QString {
    try {
      const std::filesystem::path file = toPath(path);
      if (isFileOfRun(file)) {
        throw Error({}, "it is a file of a run, which an export never replaces");
      }
      writeFileDurably(file, exportedText(config, format));
      return {};
    } catch (const Error& error) {
      return QString::fromStdString(error.what());
    }
  };
  files_.run(write, [this, path](const QString& reason) {
    if (reason.isEmpty()) {
      notice_->tell(u"Exported to %1."_s.arg(path), false);
    } else {
      notice_->tell(u"Could not export to %1: %2. Choose another file."_s.arg(path, reason), true);
    }
  });
}

}  // namespace lambda
