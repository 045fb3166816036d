#pragma once

#include <optional>
#include <vector>

#include <QObject>
#include <QString>
#include <QUndoStack>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

namespace lambda {

/// What the person is working on: the network and the recipe, as one value with undo. Pages show it
/// and ask for changes; nobody else holds a copy that could grow old.
class ProjectDocument : public QObject {
  Q_OBJECT

 public:
  explicit ProjectDocument(QObject* parent = nullptr);

  ~ProjectDocument() override;

  const RunConfig& config() const { return config_; }

  /// As it was opened or last saved: what differences are shown against.
  const RunConfig& savedConfig() const { return savedConfig_; }

  /// Tells the document what the data set of config() holds; empty while that is not known.
  void setDataset(const std::optional<DatasetInfo>& dataset);

  /// All findings about config() and, where it is known, about what its data set holds.
  const std::vector<Problem>& problems() const { return problems_; }

  QUndoStack& undoStack() { return undoStack_; }

  /// The file; empty for a document that has none yet.
  QString path() const { return path_; }

  /// For a window's title: the file's or the network's name.
  QString title() const;

  bool isModified() const { return !undoStack_.isClean(); }

  /// Changes the document as one undo step named `text`, for example "Set k to 8". Changes that
  /// follow each other with the same non-empty `gesture` become one step: a drag of a slider passes
  /// the same name until it is released.
  void edit(const RunConfig& next, const QString& text, const QString& gesture = {});

  /// Applies a problem's fix as one undo step. Returns an empty text, or why it could not be
  /// applied.
  QString applyFix(const Fix& fix);

  /// Starts over from a template or another run's configuration: no file, nothing to undo.
  void startFrom(const RunConfig& config);

  /// Opens a network or run configuration. A network alone keeps the recipe that is there. Returns
  /// an empty text, or what is wrong with the file; the document is then as it was. `warnings` gets
  /// what was ignored.
  QString open(const QString& path, QStringList& warnings);

  /// Returns an empty text, or why it could not be written; the file is then as it was.
  QString saveAs(const QString& path);

  /// Takes over what was rescued after a crash: modified, with the file it came from.
  void recover(const RunConfig& config, const QString& path);

 Q_SIGNALS:
  /// config() and problems() are new.
  void changed();
  /// path(), title() or isModified() are new.
  void titleChanged();

 private:
  class Change;

  void set(const RunConfig& config);

  RunConfig config_;
  RunConfig savedConfig_;
  std::optional<DatasetInfo> dataset_;
  std::vector<Problem> problems_;
  QUndoStack undoStack_;
  QString path_;
};

}  // namespace lambda
