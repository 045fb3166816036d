#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "app/session/engine_calls.h"
#include "widgets/work/lane.h"
#include "widgets/work/work.h"

namespace lambda {

/// Exports runs on a thread of its own, one at a time. Lives on the GUI thread.
class ExportSession : public QObject {
  Q_OBJECT

 public:
  explicit ExportSession(EngineHandle engine, QObject* parent = nullptr);
  ~ExportSession() override;

  bool isRunning() const { return control_ != nullptr; }

  /// Begins an export, unless one is running. Ends with one of finished(), failed() or cancelled().
  void start(const ExportJob& job);

  /// Asks the running export to stop. What it has written is removed.
  void cancel();

 Q_SIGNALS:
  void progressed(qint64 done, qint64 total);
  void finished(const lambda::ExportReport& report);
  /// What happened, why and what to do.
  void failed(const QString& reason);
  void cancelled();

 private:
  EngineHandle engine_;
  std::shared_ptr<RunControl> control_;  ///< Of the running export; null if none is.
  Lane lane_;
  Work export_{*this};
};

}  // namespace lambda
