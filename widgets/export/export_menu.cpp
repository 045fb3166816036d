#include "widgets/export/export_menu.h"

#include <functional>
#include <utility>

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QSettings>
#include <QToolButton>

#include "widgets/export/export_file.h"
#include "widgets/export/export_folder.h"
#include "widgets/export/exportable.h"
#include "widgets/theme/icons.h"
#include "widgets/theme/look_changes.h"
#include "widgets/theme/question_box.h"
#include "widgets/theme/shown_text.h"
#include "widgets/theme/theme.h"
#include "widgets/work/work.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

const QString kScreenColorsKey = u"export/screenColors"_s;

ExportOptions optionsFromSettings(const QWidget& owner) {
  ExportOptions options;
  if (QSettings().value(kScreenColorsKey, false).toBool()) options.colors = &colorsOf(owner);
  return options;
}

/// Encodes and writes a file in the background, and reports a failure over the owner's window.
void writeInBackground(std::function<QString()> write, QWidget& owner) {
  give(inBackground(std::move(write)), owner, [&owner](const QString& problem) {
    if (problem.isEmpty()) return;
    showFailure(u"Could not save the picture"_s, problem, *owner.window());
  });
}

void saveAs(const Exportable& source, QWidget& owner) {
  auto* dialog = new QFileDialog(&owner, u"Save picture or numbers"_s, exportFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  QStringList filters{u"PNG picture (*.png)"_s, u"SVG drawing (*.svg)"_s, u"PDF drawing (*.pdf)"_s};
  if (!source.toCsv().isEmpty()) filters << u"Numbers (*.csv)"_s;
  dialog->setNameFilters(filters);
  const auto suffixOf = [](const QString& filter) { return filter.section(u"*."_s, 1).chopped(1); };
  dialog->setDefaultSuffix(u"png"_s);
  QObject::connect(
      dialog, &QFileDialog::filterSelected, dialog, [dialog, suffixOf](const QString& filter) {
        dialog->setDefaultSuffix(suffixOf(filter));
      });
  dialog->selectFile(fileStemOf(source));
  QObject::connect(
      dialog, &QFileDialog::fileSelected, &owner, [&source, &owner](const QString& path) {
        rememberExport(path);
        writeInBackground(exportWriter(source, path, optionsFromSettings(owner)), owner);
      });
  dialog->open();
}

/// Asks for a file and saves a picture there.
class SaveAction : public QAction {
 public:
  SaveAction(const Exportable& picture, QWidget& owner, QObject* parent)
      : QAction(u"Save as PNG, SVG, PDF or CSV …"_s, parent), picture_(picture), owner_(owner) {
    connect(this, &QAction::triggered, &owner, [this] { saveAs(picture_, owner_); });
  }

  const Exportable& picture() const { return picture_; }

  const QWidget& owner() const { return owner_; }

 private:
  const Exportable& picture_;
  QWidget& owner_;
};

/// Redraws its icon when the theme changes.
class ExportButton : public QToolButton {
 public:
  explicit ExportButton(QWidget& picture) : QToolButton(&picture), picture_(&picture) {
    setIcon(lambda::icon(u"export"_s, *this));
    onPaletteChange(*this, [this] { setIcon(lambda::icon(u"export"_s, *this)); });
  }

 protected:
  /// The Tab key reaches the picture after the button above it, also where it was made before.
  void showEvent(QShowEvent* event) override {
    QToolButton::showEvent(event);
    if (picture_) setTabOrder(this, picture_);
  }

 private:
  QPointer<QWidget> picture_;
};

}  // namespace

void addExportActions(QMenu& menu, const Exportable& source, QWidget& owner) {
  QAction* copyPicture = menu.addAction(u"Copy picture"_s);
  QObject::connect(copyPicture, &QAction::triggered, &owner, [&source, &owner] {
    QApplication::clipboard()->setImage(toImage(source, optionsFromSettings(owner)));
  });
  QAction* copyNumbers = menu.addAction(u"Copy numbers"_s);
  QObject::connect(copyNumbers, &QAction::triggered, &owner, [&source] {
    QApplication::clipboard()->setText(source.toCsv());
  });
  menu.addAction(new SaveAction(source, owner, &menu));
  menu.addSeparator();
  QAction* screenColors = menu.addAction(u"In the colours of the screen"_s);
  screenColors->setCheckable(true);
  screenColors->setToolTip(u"Otherwise in the colours for paper, on white"_s);
  QObject::connect(screenColors, &QAction::toggled, &owner, [](bool on) {
    QSettings().setValue(kScreenColorsKey, on);
  });
  QObject::connect(&menu, &QMenu::aboutToShow, &owner, [&source, copyNumbers, screenColors] {
    copyNumbers->setEnabled(!source.toCsv().isEmpty());
    screenColors->setChecked(QSettings().value(kScreenColorsKey, false).toBool());
  });
}

std::vector<PictureExport> pictureExportsBelow(const QWidget& parent) {
  std::vector<PictureExport> exports;
  for (QAction* action : parent.findChildren<QAction*>()) {
    const auto* save = dynamic_cast<const SaveAction*>(action);
    if (!save || !save->owner().isVisibleTo(&parent)) continue;
    exports.push_back({save->picture().exportName(), action});
  }
  return exports;
}

QToolButton* makeExportButton(const Exportable& source, QWidget& owner) {
  auto* button = new ExportButton(owner);
  auto* menu = new QMenu(button);
  addExportActions(*menu, source, owner);
  button->setMenu(menu);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setProperty(kRole, u"quiet"_s);
  button->setToolTip(u"Export this picture"_s);
  button->setAccessibleName(u"Export"_s);
  owner.setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(
      &owner, &QWidget::customContextMenuRequested, menu, [&owner, menu](const QPoint& at) {
        menu->popup(owner.mapToGlobal(at));
      });
  return button;
}

}  // namespace lambda
