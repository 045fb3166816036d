#pragma once

#include <memory>
#include <optional>

#include <QDateTime>
#include <QLockFile>
#include <QObject>
#include <QString>
#include <QTimer>

#include "engine/values/run_config.h"

namespace lambda {

class ProjectDocument;

/// What a program that ended without saving left behind.
struct RescuedDocument {
  QString folder;  ///< Where it lies.
  QString path;    ///< The file it was opened from; empty where there was none.
  QDateTime when;
  RunConfig config;
};

/// Keeps a copy of a document's unsaved changes in a folder of its own, so that a crash loses some
/// seconds at most. The copy goes when the document is saved or the program ends in good order.
/// Several programs at once keep apart.
class DocumentRecovery : public QObject {
  Q_OBJECT

 public:
  /// `folder` holds one folder a running program; it is made.
  DocumentRecovery(ProjectDocument& document, const QString& folder, QObject* parent = nullptr);
  ~DocumentRecovery() override;

  /// The newest document that a program which runs no more left behind; damaged ones are passed
  /// over.
  std::optional<RescuedDocument> rescued() const;

  /// Removes what was rescued, after it was taken over or refused.
  void discard(const RescuedDocument& rescued);

  /// Writes now what waits to be written.
  void saveNow();

  /// Removes the copy: everything is saved, or the person wants it gone.
  void forget();

 private:
  void schedule();

  ProjectDocument& document_;
  QString root_;
  QString own_;
  std::unique_ptr<QLockFile> lock_;
  QTimer delay_;
};

}  // namespace lambda
