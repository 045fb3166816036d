#include "app/session/documents/export_session.h"

#include <exception>
#include <optional>

#include <QElapsedTimer>
#include <QMetaObject>

namespace lambda {

namespace {

/// The window shows progress ten times a second.
constexpr int kReportMs = 100;

/// The priority of work that nobody waits for at every moment.
constexpr int kNiceness = 10;

class ProgressObserver : public Observer {
 public:
  explicit ProgressObserver(ExportSession& session) : session_(session) { last_.start(); }

  void evaluated(const EvaluationProgress& progress) override {
    if (last_.elapsed() < kReportMs) return;
    last_.restart();
    QMetaObject::invokeMethod(
        &session_,
        [&session = session_, done = progress.done, total = progress.total] {
          Q_EMIT session.progressed(done, total);
        },
        Qt::QueuedConnection);
  }

 private:
  ExportSession& session_;
  QElapsedTimer last_;
};

}  // namespace

ExportSession::ExportSession(std::shared_ptr<EngineCalls> engine, QObject* parent)
    : QObject(parent), engine_(std::move(engine)), worker_(kNiceness) {}

ExportSession::~ExportSession() {
  cancel();
}

void ExportSession::start(const ExportJob& job) {
  if (isRunning()) return;
  control_ = std::make_shared<RunControl>();
  worker_.post([this, job, control = control_] { run(job, *control); });
}

void ExportSession::cancel() {
  if (control_) control_->requestStop();
}

/// Runs on the worker thread.
void ExportSession::run(const ExportJob& job, RunControl& control) {
  std::optional<ExportReport> report;
  QString problem;
  try {
    ProgressObserver observer(*this);
    report = engine_->exportRun(job, control, observer);
  } catch (const std::exception& error) {
    problem = QString::fromStdString(error.what());
  }
  QMetaObject::invokeMethod(
      this,
      [this, report, problem] {
        control_.reset();
        if (report) {
          Q_EMIT finished(*report);
        } else if (problem.isEmpty()) {
          Q_EMIT cancelled();
        } else {
          Q_EMIT failed(problem);
        }
      },
      Qt::QueuedConnection);
}

}  // namespace lambda
