#pragma once

#include <algorithm>
#include <memory>

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QtTest/QtTest>

#include "app/runs/panels/message_bar.h"
#include "app/runs/run_library.h"
#include "app/runs/runs_page.h"
#include "app/runs/table/run_table_view.h"
#include "app/session/documents/export_session.h"
#include "app/session/inspection/checkpoint_service.h"
#include "app/session/training/training_session.h"
#include "tests/support/scripted_engine.h"
#include "tests/support/shapes10_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/written_runs.h"
#include "widgets/theme/theme.h"

namespace lambda::test {

/// A record with few images, so that drawing them takes little time.
inline RunRecord smallRecord(const std::string& name) {
  RunRecord record = finishedRecord(name);
  shapes10Of(record.config).trainCount = 600;
  record.config.data.validationCount = 500;
  shapes10Of(record.config).testCount = 500;
  record.config.recipe.batchSize = 32;
  return record;
}

/// A Runs page with a new library in an empty folder and the scripted engine.
class RunsPageStage {
 protected:
  /// Called once, before all tests.
  void beginAll();
  void begin();
  void end();

  std::filesystem::path write(const std::string& name, const RunRecord& record) {
    return writeRun(folder_->path(), "2026-11-21_01-02-23_" + name, record);
  }

  /// Opens the library and waits until it has `expectedRows` rows.
  void open(qsizetype expectedRows);
  void makePage();

  void showTab(int tab) { page_->findChild<QTabWidget*>()->setCurrentIndex(tab); }

  QAction* action(const QString& text) const;
  QPushButton* button(const QString& text) const;

  RunTableView& table() const { return *page_->findChild<RunTableView*>(); }

  QAbstractItemModel& rows() const { return *table().model(); }

  RunsMessageBar& messageBar() const { return *page_->findChild<RunsMessageBar*>(); }

  bool hasLabel(const QString& text) const;

  /// The texts of the controls that are too narrow for their text or extend beyond the page.
  QString clippedControls() const;

  std::unique_ptr<TemporaryFolder> home_;
  std::unique_ptr<TemporaryFolder> folder_;
  std::shared_ptr<ScriptedEngine> engine_;
  std::unique_ptr<RunLibrary> library_;
  std::unique_ptr<TrainingSession> training_;
  std::unique_ptr<EngineLanes> lanes_;
  std::unique_ptr<CheckpointService> checkpoints_;
  std::unique_ptr<ExportSession> exports_;
  std::unique_ptr<RunsPage> page_;
};

inline void RunsPageStage::beginAll() {
  home_ = std::make_unique<TemporaryFolder>();
  qputenv("XDG_DATA_HOME", QByteArray::fromStdString(home_->path().string()));
  applyTheme(*qApp, ThemeChoice::light);
}

inline void RunsPageStage::begin() {
  folder_ = std::make_unique<TemporaryFolder>();
  engine_ = std::make_shared<ScriptedEngine>();
  library_ = std::make_unique<RunLibrary>();
  training_ = std::make_unique<TrainingSession>(engine_);
  lanes_ = std::make_unique<EngineLanes>(engine_);
  checkpoints_ = std::make_unique<CheckpointService>(*lanes_);
  exports_ = std::make_unique<ExportSession>(engine_);
  makePage();
}

inline void RunsPageStage::end() {
  page_.reset();
  exports_.reset();
  checkpoints_.reset();
  lanes_.reset();
  training_.reset();
  library_.reset();
  folder_.reset();
}

inline void RunsPageStage::makePage() {
  page_ = std::make_unique<RunsPage>(*library_, *training_, *checkpoints_, *exports_);
  page_->resize(1208, 730);
  page_->show();
  QVERIFY(QTest::qWaitForWindowExposed(page_.get()));
}

inline void RunsPageStage::open(qsizetype expectedRows) {
  library_->setFolder(folder_->path());
  QTRY_VERIFY(library_->state() != LibraryState::reading);
  QTRY_COMPARE(rows().rowCount(), expectedRows);
}

inline QAction* RunsPageStage::action(const QString& text) const {
  const QList<QAction*> actions = page_->pageActions();
  const auto found = std::find_if(actions.begin(), actions.end(), [&](const QAction* each) {
    return each && each->text() == text;
  });
  return found == actions.end() ? nullptr : *found;
}

inline QPushButton* RunsPageStage::button(const QString& text) const {
  for (QPushButton* each : page_->findChildren<QPushButton*>()) {
    if (each->isVisible() && each->text() == text) return each;
  }
  return nullptr;
}

inline bool RunsPageStage::hasLabel(const QString& text) const {
  const QList<QLabel*> labels = page_->findChildren<QLabel*>();
  return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
    return label->isVisible() && label->text().contains(text);
  });
}

inline QString RunsPageStage::clippedControls() const {
  QStringList clipped;
  for (const QWidget* each : page_->findChildren<QWidget*>()) {
    const auto* label = qobject_cast<const QLabel*>(each);
    const bool isOneLine = label && !label->wordWrap() && !label->text().isEmpty();
    const auto* control = qobject_cast<const QAbstractButton*>(each);
    const bool isPartOfField = qobject_cast<const QLineEdit*>(each->parentWidget());
    if ((!isOneLine && !control) || isPartOfField || !each->isVisible()) continue;
    const QRect place(each->mapTo(page_.get(), QPoint()), each->size());
    const QSize needed = each->minimumSizeHint();
    const bool isWhole = page_->rect().contains(place) && place.width() >= needed.width() &&
                         place.height() >= needed.height();
    if (!isWhole) clipped << (label ? label->text() : control->text() + control->accessibleName());
  }
  return clipped.join(QStringLiteral(", "));
}

}  // namespace lambda::test
