#pragma once

#include <filesystem>
#include <vector>

#include <QObject>
#include <QString>

#include "widgets/work/work.h"

class QWidget;

namespace lambda {

/// Writes the report of run folders, or of an experiment, and waits for it. For the thread where
/// widgets live. Throws Error.
void writeReport(const std::vector<std::filesystem::path>& sources, const QString& file);

/// Writes reports for the window, which does not wait for files: it draws the pictures only.
class ReportWriter : public QObject {
  Q_OBJECT

 public:
  /// `window`: the parent of dialogs, which outlives this.
  explicit ReportWriter(QWidget& window);

  /// Asks for the file, without blocking, and writes the report of these run folders, or of the
  /// folder of one experiment.
  void ask(const std::vector<std::filesystem::path>& sources);

 Q_SIGNALS:
  void written(const QString& file);
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void write(const std::vector<std::filesystem::path>& sources, const QString& file);

  QWidget& window_;
  Work tasks_{*this};
};

}  // namespace lambda
