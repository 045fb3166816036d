#pragma once

#include <memory>
#include <string>
#include <vector>

#include <QLabel>
#include <QSplitter>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/design/design_page.h"
#include "app/design/options/property_panel.h"
#include "app/design/totals/total_cell.h"
#include "app/session/documents/document_actions.h"
#include "app/session/documents/project_document.h"
#include "app/session/machine_service.h"
#include "engine/formats/json/presets.h"
#include "tests/support/scripted_engine.h"
#include "widgets/forms/field_form.h"
#include "widgets/network/network_editor.h"

namespace lambda::test {

inline RunConfig preset(const std::string& name) {
  std::vector<Problem> warnings;
  return loadPreset(name, warnings);
}

/// A window that contains the Design page, as in the program.
class DesignStudio {
 public:
  explicit DesignStudio(const RunConfig& start, QSize size = {1208, 730})
      : engine(std::make_shared<ScriptedEngine>()),
        lanes(engine),
        actions(document, folder.filePath(QStringLiteral("recovery")), window) {
    document.startFrom(start);
    page = new DesignPage(document, machine, actions, &window);
    page->resize(size);
    window.resize(size);
    window.show();
    window.activateWindow();
    if (!QTest::qWaitForWindowActive(&window)) qFatal("the window did not become active");
    page->setFocus();
  }

  ~DesignStudio() { delete page; }

  NetworkEditor& editor() { return page->editor(); }

  FieldForm& form() { return page->properties().form(); }

  QPoint at(const PartId& part) {
    const QRectF box = editor().boxOf(part);
    return QPointF(box.left() + box.width() / 3, box.top() + 8).toPoint();
  }

  void click(const PartId& part) {
    QTest::mouseClick(editor().viewport(), Qt::LeftButton, {}, at(part));
  }

  /// Gives a block the next kind of mixer.
  void turn(const PartId& part) {
    click(part);
    QTest::keyClick(&editor(), Qt::Key_Space);
  }

  void doubleClick(const PartId& part) {
    QTest::mouseDClick(editor().viewport(), Qt::LeftButton, {}, at(part));
  }

  template <class Row>
  QList<Row*> shown() const {
    QList<Row*> rows;
    for (Row* row : page->findChildren<Row*>()) {
      if (!row->isHidden()) rows << row;
    }
    return rows;
  }

  TotalCell* total(const QString& name) {
    for (TotalCell* cell : page->findChildren<TotalCell*>()) {
      for (QLabel* label : cell->findChildren<QLabel*>()) {
        if (label->text().startsWith(name)) return cell;
      }
    }
    return nullptr;
  }

  QSplitter* splitter(const QString& name) { return page->findChild<QSplitter*>(name); }

  /// Drags a splitter's handle by `by` pixels.
  void drag(const QString& name, QPoint by) {
    QSplitterHandle* handle = splitter(name)->handle(1);
    const QPoint middle = handle->rect().center();
    QTest::mousePress(handle, Qt::LeftButton, {}, middle);
    QTest::mouseMove(handle, middle + by);
    // The position is relative to the handle, which followed the mouse.
    QTest::mouseRelease(handle, Qt::LeftButton, {}, middle);
  }

  QString stepText() { return document.undoStack().undoText(); }

  QTemporaryDir folder;
  QWidget window;
  std::shared_ptr<ScriptedEngine> engine;
  ProjectDocument document;
  EngineLanes lanes;
  MachineService machine{lanes};
  DocumentActions actions;
  DesignPage* page;
};

}  // namespace lambda::test
