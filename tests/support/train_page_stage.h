#pragma once

#include <memory>

#include <QAction>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/session/documents/project_document.h"
#include "app/session/training/training_session.h"
#include "app/train/run/transport_bar.h"
#include "app/train/setup/setup_view.h"
#include "app/train/train_page.h"
#include "tests/support/scripted_engine.h"
#include "widgets/theme/elided_label.h"

namespace lambda::test {

inline RunConfig smallTrainConfig(int epochs) {
  RunConfig config;
  config.name = "scripted";
  config.data.validationCount = 2000;
  config.recipe.epochs = epochs;
  Stage stage;
  stage.width = 16;
  stage.blocks = {Block{LambdaMixer{}}};
  config.architecture.family = Family::basic;
  config.architecture.stages = {stage};
  return config;
}

/// The Train page, shown, with the scripted engine.
struct ShownTrainPage {
  std::shared_ptr<ScriptedEngine> engine = std::make_shared<ScriptedEngine>();
  QTemporaryDir folder;
  ProjectDocument document;
  TrainingSession session{engine};
  TrainPage page{document, session};
  QSignalSpy ended{&session, &TrainingSession::ended};

  explicit ShownTrainPage(int epochs = 3) {
    document.startFrom(smallTrainConfig(epochs));
    page.setRunsFolder(folder.path().toStdString());
    page.setDevice(QStringLiteral("The CPU: this engine is scripted."), {2, {}});
    page.resize(1208, 730);
    page.show();
    [[maybe_unused]] const bool exposed = QTest::qWaitForWindowExposed(&page);
  }

  template <class T>
  T* find(const QString& name = {}) const {
    return page.findChild<T*>(name);
  }

  QAction* action(const QString& text) const {
    for (QAction* action : page.pageActions()) {
      if (action && action->text() == text) return action;
    }
    return nullptr;
  }

  TransportBar& bar() const { return *find<TransportBar>(); }

  bool showsSetup() const { return find<SetupView>()->isVisible(); }

  QString words() const { return find<ElidedLabel>(QStringLiteral("words"))->fullText(); }

  /// The names of those of start, pause, step and stop that are enabled.
  QString enabled() const {
    QString text;
    if (bar().startAction()->isEnabled()) text += QStringLiteral("start ");
    if (bar().pauseAction()->isEnabled())
      text += bar().pauseAction()->text().toLower() + QStringLiteral(" ");
    if (bar().stepAction()->isEnabled()) text += QStringLiteral("step ");
    if (bar().stopAction()->isEnabled()) text += QStringLiteral("stop ");
    return text.trimmed();
  }
};

}  // namespace lambda::test
