#include "app/session/documents/export_session.h"

#include <optional>

#include "app/session/engine_lanes.h"

namespace lambda {

namespace {

/// The priority of work that nobody waits for at every moment.
constexpr int kNiceness = 10;

using Report = std::optional<ExportReport>;

}  // namespace

ExportSession::ExportSession(EngineHandle engine, QObject* parent)
    : QObject(parent), engine_(std::move(engine)), lane_(kNiceness) {}

ExportSession::~ExportSession() {
  cancel();
}

void ExportSession::start(const ExportJob& job) {
  if (isRunning()) return;
  control_ = std::make_shared<RunControl>();
  const auto run = [engine = engine_, job, control = control_](QPromise<Report>& promise) {
    PromiseObserver observer(promise, *control);
    promise.addResult(engine->exportRun(job, *control, observer));
  };
  const auto end = [this](const Report& report) {
    control_.reset();
    if (report) {
      Q_EMIT finished(*report);
    } else {
      Q_EMIT cancelled();
    }
  };
  const auto fail = [this](const QString& reason) {
    control_.reset();
    Q_EMIT failed(reason);
  };
  export_.follow(lane_.run<Report>(run), end, fail, [this](int done, int total) {
    Q_EMIT progressed(done, total);
  });
}

void ExportSession::cancel() {
  if (control_) control_->requestStop();
}

}  // namespace lambda
