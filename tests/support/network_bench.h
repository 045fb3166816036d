#pragma once

#include <string>
#include <vector>

#include <QtTest/QtTest>

#include "widgets/network/network_editor.h"

namespace lambda::test {

struct NetworkStep {
  Architecture architecture;
  QString text;
  QString gesture;
};

inline Architecture convolutions(const std::vector<int>& counts) {
  Architecture architecture;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    Stage stage;
    stage.width = 32 << i;
    stage.stride = i == 0 ? 1 : 2;
    stage.blocks.resize(static_cast<std::size_t>(counts[i]));
    architecture.stages.push_back(stage);
  }
  return architecture;
}

/// An editor whose edits are applied at once, as the document does.
class NetworkBench {
 public:
  explicit NetworkBench(const Architecture& start, QSize size = {1000, 620}) {
    editor.setArchitecture(start);
    QObject::connect(&editor,
                     &NetworkEditor::architectureEdited,
                     &editor,
                     [this](const Architecture& next, const QString& text, const QString& gesture) {
                       steps.push_back({next, text, gesture});
                       editor.setArchitecture(next);
                     });
    editor.resize(size);
    editor.show();
    editor.activateWindow();
    if (!QTest::qWaitForWindowActive(&editor)) qFatal("the window does not become active");
    editor.setFocus();
  }

  QPoint at(const PartId& part) const {
    const QRectF box = editor.boxOf(part);
    return QPointF(box.left() + box.width() / 3, box.top() + 8).toPoint();
  }

  void click(const PartId& part, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mouseClick(editor.viewport(), Qt::LeftButton, modifiers, at(part));
  }

  /// Gives a block the next kind of mixer.
  void turn(const PartId& part) {
    click(part);
    key(Qt::Key_Space);
  }

  void doubleClick(const PartId& part) {
    QTest::mouseDClick(editor.viewport(), Qt::LeftButton, {}, at(part));
  }

  void drag(const std::vector<QPoint>& way, Qt::KeyboardModifiers modifiers = {}) {
    QTest::mousePress(editor.viewport(), Qt::LeftButton, modifiers, way.front());
    for (const QPoint& point : way) QTest::mouseMove(editor.viewport(), point);
    QTest::mouseRelease(editor.viewport(), Qt::LeftButton, modifiers, way.back());
  }

  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&editor, static_cast<Qt::Key>(key), modifiers);
  }

  std::string pattern() const { return patternOf(editor.architecture()); }

  NetworkEditor editor;
  std::vector<NetworkStep> steps;
};

}  // namespace lambda::test
