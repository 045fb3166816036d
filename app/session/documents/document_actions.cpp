#include "app/session/documents/document_actions.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>

#include "app/session/documents/project_document.h"
#include "app/session/missing_files.h"
#include "app/session/page.h"
#include "engine/formats/json/config_json.h"
#include "widgets/theme/question_box.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

constexpr int kRemembered = 10;
const QString kRecentKey = u"document/recentFiles"_s;
const QString kFolderKey = u"document/folder"_s;

QAction* makeAction(const QString& text,
                    const QKeySequence& shortcut,
                    const QString& toolTip,
                    QObject* parent) {
  auto* action = new QAction(text, parent);
  action->setShortcut(shortcut);
  action->setToolTip(toolTip);
  return action;
}

/// Says what failed, why, and what to do. The text of an Error begins with the path and ends with
/// its hint on a line of its own.
QString failureText(const QString& verb, const QString& path, const QString& problem) {
  QStringList parts = problem.split(u"\n  "_s);
  if (parts.first().startsWith(path + u": "_s)) parts.first().remove(0, path.size() + 2);
  for (qsizetype i = 1; i < parts.size(); ++i) parts[i].replace(0, 1, parts[i].left(1).toUpper());
  const QString text =
      u"Could not %1 %2: %3"_s.arg(verb, QFileInfo(path).fileName(), parts.join(u". "_s));
  return text.endsWith(u'.') ? text : text + u'.';
}

QString ignoredText(const QStringList& ignored, const QString& separator) {
  constexpr qsizetype kMostNamed = 8;
  const QString text = ignored.mid(0, kMostNamed).join(separator);
  const qsizetype more = ignored.size() - kMostNamed;
  return more > 0 ? u"%1%2and %3 more"_s.arg(text, separator).arg(more) : text;
}

}  // namespace

DocumentActions::DocumentActions(ProjectDocument& document,
                                 const QString& recoveryFolder,
                                 QWidget& window)
    : QObject(&window),
      document_(document),
      window_(window),
      recovery_(document, recoveryFolder),
      rescued_(recovery_.rescued()),
      open_(makeAction(u"Open …"_s,
                       QKeySequence::Open,
                       u"Open a network, a run's configuration or an experiment"_s,
                       this)),
      save_(makeAction(u"Save"_s, QKeySequence::Save, u"Save the network and its recipe"_s, this)),
      saveAs_(makeAction(u"Save as …"_s, QKeySequence::SaveAs, u"Save under another name"_s, this)),
      undo_(document.undoStack().createUndoAction(this, u"Undo"_s)),
      redo_(document.undoStack().createRedoAction(this, u"Redo"_s)),
      recentMenu_(new QMenu(u"Open recent"_s, &window)) {
  undo_->setProperty(kLastingText, u"Undo"_s);
  redo_->setProperty(kLastingText, u"Redo"_s);
  connect(open_, &QAction::triggered, this, &DocumentActions::chooseFile);
  connect(save_, &QAction::triggered, this, [this] { save(); });
  connect(saveAs_, &QAction::triggered, this, [this] { chooseTarget({}); });
  connect(recentMenu_, &QMenu::aboutToShow, this, &DocumentActions::fillRecentMenu);
  fillRecentMenu();
}

QStringList DocumentActions::recentFiles() const {
  return QSettings().value(kRecentKey).toStringList();
}

void DocumentActions::chooseFile() {
  auto* dialog = new QFileDialog(&window_,
                                 u"Open a network, a run's configuration or an experiment"_s,
                                 QSettings().value(kFolderKey, QDir::homePath()).toString(),
                                 u"Networks, runs and experiments (*.json);;All files (*)"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &DocumentActions::openRequested);
  dialog->open();
}

void DocumentActions::openFile(const QString& path) {
  // Nobody should decide about unsaved changes for a file that can't be opened.
  if (const QString problem = ProjectDocument::problemOf(path); !problem.isEmpty()) {
    Q_EMIT failed(failureText(u"open"_s, path, problem));
    return;
  }
  saveChangesFirst([this, path] { openNow(path); });
}

void DocumentActions::reopen(const QString& path) {
  if (path.isEmpty()) return;
  const QString problem = document_.open(path);
  if (!problem.isEmpty()) Q_EMIT failed(failureText(u"open"_s, path, problem));
}

void DocumentActions::startFrom(const RunConfig& config, const std::function<void()>& then) {
  saveChangesFirst([this, config, then] {
    document_.startFrom(config);
    if (then) then();
  });
}

void DocumentActions::saveChangesFirst(const std::function<void()>& proceed) {
  if (!document_.isModified()) {
    proceed();
    return;
  }
  ask({.title = u"Save your changes?"_s,
       .text = u"%1 has changes that are not saved."_s.arg(document_.title()),
       .detail = u"They are lost unless you save them."_s,
       .answers = {{QMessageBox::Save, u"Save"_s, [this, proceed] { save(proceed); }},
                   {QMessageBox::Discard, u"Discard"_s, proceed},
                   {QMessageBox::Cancel, u"Cancel"_s, {}}}},
      window_);
}

void DocumentActions::openNow(const QString& path) {
  if (const QString problem = document_.open(path); !problem.isEmpty()) {
    Q_EMIT failed(failureText(u"open"_s, path, problem));
    return;
  }
  remember(document_.path());
  if (!document_.ignored().isEmpty()) {
    Q_EMIT failed(u"%1 was opened, but a part of it was ignored: %2"_s.arg(
        QFileInfo(path).fileName(), ignoredText(document_.ignored(), u"; "_s)));
  }
  Q_EMIT opened();
}

void DocumentActions::save(const std::function<void()>& then) {
  if (document_.path().isEmpty()) {
    chooseTarget(then);
  } else if (!document_.ignored().isEmpty()) {
    askBeforeLosing(then);
  } else {
    writeTo(document_.path(), then);
  }
}

/// Asks before the file loses what was ignored when it was read.
void DocumentActions::askBeforeLosing(const std::function<void()>& then) {
  ask({.title = u"Remove a part of the file?"_s,
       .text = u"A part of %1 was ignored when it was opened, and saving removes it."_s.arg(
           QFileInfo(document_.path()).fileName()),
       .detail = ignoredText(document_.ignored(), u"\n"_s),
       .answers =
           {{QMessageBox::Cancel, u"Cancel"_s, {}},
            {QMessageBox::Save, u"Save under another name"_s, [this, then] { chooseTarget(then); }},
            {QMessageBox::Yes, u"Remove it"_s, [this, then] { writeTo(document_.path(), then); }}}},
      window_);
}

void DocumentActions::chooseTarget(const std::function<void()>& then) {
  const QString folder = QSettings().value(kFolderKey, QDir::homePath()).toString();
  auto* dialog = new QFileDialog(
      &window_, u"Save the network and its recipe"_s, folder, u"Networks and runs (*.json)"_s);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(QString::fromLatin1(kDocumentEnding).mid(1));
  dialog->selectFile(document_.title());
  connect(dialog, &QFileDialog::fileSelected, this, [this, then](const QString& path) {
    writeTo(path, then);
  });
  dialog->open();
}

void DocumentActions::writeTo(const QString& path, const std::function<void()>& then) {
  if (const QString problem = document_.saveAs(path); !problem.isEmpty()) {
    Q_EMIT failed(failureText(u"save"_s, path, problem));
    return;
  }
  remember(document_.path());
  if (then) then();
}

void DocumentActions::remember(const QString& path) {
  QStringList files = recentFiles();
  files.removeAll(path);
  files.prepend(path);
  files = files.mid(0, kRemembered);
  QSettings settings;
  settings.setValue(kRecentKey, files);
  settings.setValue(kFolderKey, QFileInfo(path).absolutePath());
  Q_EMIT recentFilesChanged(files);
}

void DocumentActions::fillRecentMenu() {
  recentMenu_->clear();
  const QStringList files = recentFiles();
  for (const QString& path : files) {
    QAction* action = recentMenu_->addAction(documentNameOf(path));
    action->setToolTip(path);
    connect(action, &QAction::triggered, this, [this, path] { Q_EMIT openRequested(path); });
  }
  recent_.runNewest([files] { return missingOf(files); },
                    [this](const QStringList& missing) {
                      for (QAction* action : recentMenu_->actions()) {
                        if (missing.contains(action->toolTip())) action->setEnabled(false);
                      }
                    });
  if (!files.isEmpty()) recentMenu_->addSeparator();
  QAction* clear = recentMenu_->addAction(u"Forget these files"_s);
  clear->setEnabled(!files.isEmpty());
  connect(clear, &QAction::triggered, this, [this] {
    QSettings().remove(kRecentKey);
    Q_EMIT recentFilesChanged({});
  });
}

void DocumentActions::restoreRescued() {
  if (!rescued_) return;
  document_.recover(rescued_->saved, rescued_->config, rescued_->path);
  discardRescued();
}

void DocumentActions::discardRescued() {
  if (!rescued_) return;
  recovery_.discard(*rescued_);
  rescued_.reset();
}

void DocumentActions::keepForRecovery() {
  recovery_.saveNow();
}

void DocumentActions::forgetRecovery() {
  recovery_.forget();
}

}  // namespace lambda
