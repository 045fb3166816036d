#pragma once

#include <filesystem>
#include <memory>

#include <QtCore/QElapsedTimer>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QStringList>

namespace lambda {

/// The exit status and the output of a process.
struct ProgramOutcome {
  int status = -1;  ///< Exit status; -1 if it was killed or did not end in time.
  QByteArray output;
  QByteArray errors;

  /// Standard output as one JSON object; empty if it is not a JSON object.
  QJsonObject json() const { return QJsonDocument::fromJson(output).object(); }
};

/// The program `lambda`, run as a process in a folder.
class Program {
 public:
  explicit Program(const std::filesystem::path& folder)
      : folder_(QString::fromStdString(folder.string())) {}

  /// Sets an environment variable for all processes that are started later.
  void set(const QString& variable, const QString& value) { environment_.insert(variable, value); }

  std::unique_ptr<QProcess> start(const QStringList& arguments) const {
    return startCommand(QStringLiteral(LAMBDA_PROGRAM), arguments);
  }

  ProgramOutcome run(const QStringList& arguments) const { return end(*start(arguments)); }

  /// Runs a script with sh; $LAMBDA is the path of the program.
  ProgramOutcome runScript(const QString& script) const {
    return end(*startCommand(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), script}));
  }

  /// Waits for the end of a process; kills it after `timeoutMs`.
  static ProgramOutcome end(QProcess& process, int timeoutMs = 120000) {
    const bool ended =
        process.state() == QProcess::NotRunning || process.waitForFinished(timeoutMs);
    if (!ended) {
      process.kill();
      process.waitForFinished();
    }
    ProgramOutcome outcome;
    if (ended && process.exitStatus() == QProcess::NormalExit) outcome.status = process.exitCode();
    outcome.output = process.readAllStandardOutput();
    outcome.errors = process.readAllStandardError();
    return outcome;
  }

 private:
  std::unique_ptr<QProcess> startCommand(const QString& command,
                                         const QStringList& arguments) const {
    auto process = std::make_unique<QProcess>();
    QProcessEnvironment environment = environment_;
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    environment.insert(QStringLiteral("LAMBDA"), QStringLiteral(LAMBDA_PROGRAM));
    process->setProcessEnvironment(environment);
    process->setWorkingDirectory(folder_);
    process->start(command, arguments);
    process->waitForStarted();
    return process;
  }

  QString folder_;
  QProcessEnvironment environment_ = QProcessEnvironment::systemEnvironment();
};

}  // namespace lambda
