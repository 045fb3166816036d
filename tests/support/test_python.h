#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <QtCore/QProcess>
#include <QtCore/QStringList>

namespace lambda::test {

struct PythonOutcome {
  int status = -1;  ///< -1 if it did not end in time.
  QByteArray output;
  QByteArray errors;
};

/// The Python with packages of PyPI by which tests read what this program writes: that of the
/// environment variable LAMBDA_TEST_PYTHON, which tests/run sets.
class TestPython {
 public:
  /// The Python of that variable.
  TestPython() = default;

  /// Another one.
  explicit TestPython(QString python) : python_(std::move(python)) {}

  /// Why no script that imports these modules can run; empty if it can.
  QString missing(const QStringList& modules) const {
    if (python_.isEmpty()) {
      return QStringLiteral("LAMBDA_TEST_PYTHON does not name a Python: tests/run sets it");
    }
    for (const QString& module : modules) {
      const QStringList command{QStringLiteral("-c"), QStringLiteral("import ") + module};
      if (end(command).status != 0) return python_ + QStringLiteral(" has no module ") + module;
    }
    return {};
  }

  /// Runs a script of tests/support.
  PythonOutcome run(const std::string& script,
                    const std::vector<std::filesystem::path>& arguments) const {
    QStringList command{QString::fromStdString(LAMBDA_TEST_SUPPORT "/" + script)};
    for (const std::filesystem::path& each : arguments) {
      command.append(QString::fromStdString(each.string()));
    }
    return end(command);
  }

 private:
  PythonOutcome end(const QStringList& command) const {
    constexpr int kMostMs = 600000;
    QProcess process;
    process.start(python_, command);
    if (!process.waitForFinished(kMostMs)) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
  }

  QString python_ = qEnvironmentVariable("LAMBDA_TEST_PYTHON");
};

/// The names whose difference, a line "NAME<tab>NUMBER" of the output, is missing, exceeds its
/// limit or is no number.
inline std::string beyondLimits(const QByteArray& output,
                                const std::map<std::string, double>& limits) {
  std::map<std::string, double> differences;
  for (const QByteArray& line : output.trimmed().split('\n')) {
    const QList<QByteArray> columns = line.split('\t');
    differences[columns.first().toStdString()] = columns.last().toDouble();
  }
  std::string names;
  for (const auto& [name, limit] : limits) {
    const auto found = differences.find(name);
    if (found != differences.end() && found->second <= limit) continue;
    names += name + ": " +
             (found == differences.end() ? "missing" : std::to_string(found->second)) + "\n";
  }
  return names;
}

}  // namespace lambda::test
