#pragma once

#include <optional>
#include <string>
#include <vector>

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

namespace lambda {

/// The name that a document has from its file, without folder and ending.
QString documentNameOf(const QString& path);

/// The document that the person edits: the network and the recipe, as one value with undo. Pages
/// show it and request changes; nothing else holds a copy that could become outdated.
class ProjectDocument : public QObject {
  Q_OBJECT

 public:
  explicit ProjectDocument(QObject* parent = nullptr);

  ~ProjectDocument() override;

  const RunConfig& config() const { return config_; }

  /// The configuration of a run of this document: one without a name of its own has that of the
  /// file. The name of a template or of another run is not its own. Where the data has a validation
  /// set of its own and no person has chosen another number, its number is that of the data.
  RunConfig runConfig() const;

  /// The configuration as it was opened or last saved, to which differences are shown.
  const RunConfig& savedConfig() const { return savedConfig_; }

  /// Sets the contents of the data set of config(); empty while they are not known.
  void setDataset(const std::optional<DatasetInfo>& dataset);

  /// All findings about config() and, where they are known, about the contents of its data set.
  const std::vector<Problem>& problems() const { return problems_; }

  QUndoStack& undoStack() { return undoStack_; }

  /// The file; empty for a document that has none yet.
  QString path() const { return path_; }

  /// For a window's title: the file's or the network's name.
  QString title() const;

  bool isModified() const { return !undoStack_.isClean(); }

  /// Changes the document as one undo step named `text`, for example "Set k to 8". Consecutive
  /// changes with the same non-empty `gesture` become one step: a drag of a slider passes the same
  /// name until it is released.
  void edit(const RunConfig& next, const QString& text, const QString& gesture = {});

  /// Applies a problem's fix as one undo step. Returns an empty text, or why it could not be
  /// applied.
  QString applyFix(const Fix& fix);

  /// Applies several fixes as one undo step of that name, or none of them.
  QString applyFixes(const std::vector<Fix>& fixes, const QString& text);

  /// Starts over from a template or another run's configuration: without a file and without undo
  /// steps.
  void startFrom(const RunConfig& config);

  /// Opens a network or run configuration. A network alone keeps the current recipe. Returns an
  /// empty text, or what is wrong with the file; the document then stays unchanged.
  QString open(const QString& path);

  /// What is wrong with a file, as open() says it, without opening it.
  static QString problemOf(const QString& path);

  /// The parts of the file that were ignored when it was read, and that saving would remove from
  /// it.
  const QStringList& ignored() const { return ignored_; }

  /// Returns an empty text, or why the file could not be written; the file then stays unchanged.
  /// Replaces no experiment, no record of a run and no file of another program.
  QString saveAs(const QString& path);

  /// Restores a document after a crash, with the file it came from: all changes since `saved` are
  /// one undo step. It is modified also where they are not known.
  void recover(const RunConfig& saved, const RunConfig& config, const QString& path);

 Q_SIGNALS:
  /// config() and problems() have changed.
  void changed();
  /// path(), title() or isModified() have changed.
  void titleChanged();

 private:
  class Change;

  void set(const RunConfig& config);
  RunConfig namedFor(const QString& path) const;

  RunConfig config_;
  RunConfig savedConfig_;
  std::optional<DatasetInfo> dataset_;
  std::vector<Problem> problems_;
  QUndoStack undoStack_;
  QString path_;
  QStringList ignored_;
  std::string inheritedName_;  ///< The name at the start, where no person has chosen it.
};

}  // namespace lambda
