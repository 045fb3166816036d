#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/config/run_config.h"
#include "widgets/work/lane.h"

namespace lambda {

class ProjectDocument;

/// Unsaved changes of a program that ended without saving.
struct RescuedDocument {
  QString folder;  ///< The folder of the copy.
  QString path;    ///< The file it was opened from; empty where there was none.
  QDateTime when;
  RunConfig config;
  RunConfig saved;  ///< What was changed; `config` itself where that can't be read.
};

/// Keeps a copy of a document's unsaved changes in a separate folder, so that a crash loses a few
/// seconds at most. The copy is removed when the document is saved or the program ends normally.
/// Several programs at the same time use different folders. It is written on a thread of its own.
class DocumentRecovery : public QObject {
  Q_OBJECT

 public:
  /// `folder` is created and contains one folder per running program.
  DocumentRecovery(ProjectDocument& document, const QString& folder, QObject* parent = nullptr);
  ~DocumentRecovery() override;

  /// The newest document of a program that has ended; damaged ones are skipped.
  std::optional<RescuedDocument> rescued() const;

  /// Removes a rescued document after it was restored or discarded.
  void discard(const RescuedDocument& rescued);

  /// Writes pending changes at once, before it returns.
  void saveNow();

  /// Removes the copy: everything is saved, or the person does not want it.
  void forget();

 private:
  /// What the copy holds.
  struct Copy {
    QString path;
    RunConfig config;
    RunConfig saved;
  };

  Copy copy() const;
  void schedule();
  void keep(std::optional<Copy> copy);
  void write(const std::optional<Copy>& copy) const;
  /// Removes what programs that were killed without unsaved changes have left.
  void removeEmpty() const;

  ProjectDocument& document_;
  QString root_;
  QString own_;
  std::unique_ptr<QLockFile> lock_;
  QTimer delay_;
  std::optional<Copy> newest_;           ///< Nothing where no copy is wanted.
  std::atomic<bool> isCleaning_ = true;  ///< Until there is something to write.
  QFuture<void> writing_;                ///< Of newest_.
  Lane lane_{0};
};

}  // namespace lambda
