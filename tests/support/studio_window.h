#pragma once

#include <chrono>
#include <memory>

#include <QApplication>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QtTest/QtTest>

#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/studio/main_window.h"
#include "app/studio/preferences.h"
#include "tests/support/scripted_engine.h"

namespace lambda::test {

inline QPushButton* visibleButton(const QWidget& parent, const QString& text) {
  for (QPushButton* button : parent.findChildren<QPushButton*>()) {
    if (button->isVisible() && button->text() == text) return button;
  }
  return nullptr;
}

inline QMessageBox* visibleQuestion(const QWidget& window) {
  for (QMessageBox* box : window.findChildren<QMessageBox*>()) {
    if (box->isVisible()) return box;
  }
  return nullptr;
}

/// The studio's window with a scripted engine, and settings and files that belong to the test. It
/// can be opened again, as by another start of the program.
class StudioWindow {
 public:
  explicit StudioWindow(QSize size = {1280, 800}) : size_(size) {
    QStandardPaths::setTestModeEnabled(true);
    qputenv("LAMBDA_PRESETS", LAMBDA_RESOURCES "/presets");
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    open();
  }

  void open() {
    window_.reset();
    preferences_ = std::make_unique<Preferences>(*qApp);
    preferences_->setTheme(ThemeChoice::light);
    window_ = std::make_unique<MainWindow>(engine, *preferences_);
    window_->resize(size_);
    window_->show();
    QVERIFY(QTest::qWaitForWindowExposed(window_.get()));
  }

  /// Ends the program without any call of its code, as a kill does, as far as a test can.
  void abandon() {
    const QByteArray settings = fileOf(QSettings().fileName());
    window_.reset();
    QFile file(QSettings().fileName());
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(settings);
    file.close();
    QSettings().sync();
  }

  MainWindow& operator*() { return *window_; }

  MainWindow* operator->() { return window_.get(); }

  Preferences& preferences() { return *preferences_; }

  Workspaces& workspaces() { return window_->workspaces(); }

  ProjectDocument& document() { return window_->workspaces().document(); }

  TrainingSession& training() { return window_->workspaces().training(); }

  /// Changes the document, as a person does in a form.
  void setEpochs(int epochs) {
    RunConfig config = document().config();
    config.recipe.epochs = epochs;
    document().edit(config, QStringLiteral("Set epochs to %1").arg(epochs));
  }

  /// Presses a button of the question that is shown, and waits until it is gone.
  void answer(const QString& button) {
    QMessageBox* box = nullptr;
    QTRY_VERIFY((box = visibleQuestion(*window_)) != nullptr);
    for (QAbstractButton* each : box->buttons()) {
      if (each->text().remove(u'&') != button) continue;
      QTest::mouseClick(each, Qt::LeftButton);
      QTRY_VERIFY(!visibleQuestion(*window_) || !window_->isVisible());
      return;
    }
    QFAIL(qPrintable(QStringLiteral("there is no button ") + button));
  }

  std::shared_ptr<ScriptedEngine> engine = std::make_shared<ScriptedEngine>();
  QTemporaryDir folder;

 private:
  static QByteArray fileOf(const QString& path) {
    QSettings().sync();
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

  QSize size_;
  std::unique_ptr<Preferences> preferences_;
  std::unique_ptr<MainWindow> window_;
};

}  // namespace lambda::test
