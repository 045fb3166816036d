#include "app/runs/run_row.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <QDateTime>

#include "app/runs/compare/imported_quantities.h"
#include "widgets/text/path_text.h"
#include "widgets/text/quantity_text.h"
#include "widgets/text/untrusted_text.h"
#include "widgets/theme/shown_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The greatest value, as a share.
double bestOf(const QuantityMatch& match) {
  double best = -std::numeric_limits<double>::infinity();
  for (const CurvePoint& point : match.curve->points) {
    if (std::isfinite(point.value)) best = std::max(best, point.value * match.factor);
  }
  return best;
}

/// First and last time of all curves, in seconds since 1970.
std::pair<double, double> timesOf(const ImportedLog& log) {
  double first = std::numeric_limits<double>::infinity(), last = -first;
  for (const Curve& curve : log.curves) {
    for (const CurvePoint& point : curve.points) {
      first = std::min(first, point.wallTime);
      last = std::max(last, point.wallTime);
    }
  }
  return {first, last};
}

}  // namespace

QString RunRow::name() const {
  return shownName(run);
}

bool canChange(const RunRow& row) {
  return !row.isHeld() && row.hasRecord();
}

QStringList tagsOf(const RunRow& row) {
  QStringList tags;
  for (const std::string& tag : row.run.record.tags) tags << oneLine(QString::fromStdString(tag));
  return tags;
}

std::vector<std::string> tagsFrom(const QString& text) {
  std::vector<std::string> tags;
  for (const QString& part : text.split(u',')) {
    const std::string tag = part.simplified().toStdString();
    if (!tag.empty() && std::find(tags.begin(), tags.end(), tag) == tags.end()) tags.push_back(tag);
  }
  return tags;
}

QString dataSetName(const RunRow& row) {
  if (!row.hasRecord()) return {};
  const DataSource& source = row.run.record.config.data.source;
  const std::string* path = pathOf(source);
  if (!path || announcedInfo(source)) {
    return QString::fromStdString(std::string(traitsOf(source).title));
  }
  const std::filesystem::path place = std::filesystem::path(*path).lexically_normal();
  const auto name = place.has_filename() ? place.filename() : place.parent_path().filename();
  return oneLine(toText(name));
}

QString dataSetPlace(const RunRow& row) {
  if (!row.hasRecord()) return {};
  return QString::fromStdString(textOf(row.run.record.config.data.source));
}

std::string comparableDataOf(const RunRow& row) {
  if (!row.hasRecord()) return {};
  const DataSource& source = row.run.record.config.data.source;
  const std::string kind(traitsOf(source).kind);
  // The labels of a data set may be those of classes or of superclasses.
  const auto info = announcedInfo(source);
  std::string data = kind + ':' + (info ? std::to_string(info->classes) : textOf(source));
  // How hard sequences are to predict depends on their options.
  const auto addOptions = [&]<class Source>(const Source& options) {
    if constexpr (SequenceSource<Source>) {
      visitFields(options, [&](const Field&, const auto& member) {
        if constexpr (std::is_same_v<decltype(member), const int&>) {
          data += ' ' + std::to_string(member);
        }
      });
    }
  };
  std::visit(addOptions, source);
  return data;
}

RunState stateOf(const RunSummary& run) {
  if (!run.problem.empty()) return RunState::damaged;
  switch (run.record.status) {
    case RunStatus::running:
      return run.isLive ? RunState::training : RunState::interrupted;
    case RunStatus::paused:
      return run.isLive ? RunState::paused : RunState::interrupted;
    case RunStatus::stopped:
      return RunState::stopped;
    case RunStatus::finished:
      return RunState::finished;
    case RunStatus::failed:
      return RunState::failed;
  }
  return RunState::damaged;
}

RunRow rowOf(const RunSummary& run) {
  RunRow row{run, stateOf(run)};
  const QDateTime started =
      QDateTime::fromString(QString::fromStdString(run.record.environment.started), Qt::ISODate);
  if (started.isValid()) row.started = static_cast<double>(started.toSecsSinceEpoch());
  return row;
}

RunRow rowOf(const ImportedLog& log) {
  RunRow row;
  row.state = RunState::imported;
  row.run.path = log.path;
  row.run.name = log.path.filename().string();
  row.run.problem = log.remarks;
  RunRecord& record = row.run.record;
  record.config.name = log.name;
  record.status = RunStatus::finished;
  if (const auto match = matchOf(log, RunQuantity::validationScore)) {
    const double last = match->curve->points.back().value * match->factor;
    if (match->isOfTest) {
      record.testScore = last;
      record.testEvaluations = static_cast<int>(match->curve->points.size());
    } else {
      record.bestValidationScore = bestOf(*match);
    }
    if (match->isByEpoch) record.epochsDone = static_cast<int>(match->curve->points.size());
  }
  const auto [first, last] = timesOf(log);
  if (last >= first && std::isfinite(first)) {
    row.started = first;
    record.trainSeconds = last - first;
  }
  return row;
}

QString nameOf(RunState state) {
  switch (state) {
    case RunState::training:
      return u"Training"_s;
    case RunState::paused:
      return u"Paused"_s;
    case RunState::finished:
      return u"Finished"_s;
    case RunState::stopped:
      return u"Stopped"_s;
    case RunState::failed:
      return u"Failed"_s;
    case RunState::interrupted:
      return u"Interrupted"_s;
    case RunState::damaged:
      return u"Damaged"_s;
    case RunState::imported:
      return u"Imported"_s;
  }
  return {};
}

QString sentenceFor(const RunRow& row) {
  switch (row.state) {
    case RunState::training:
      return u"A process is training it. Its numbers are updated."_s;
    case RunState::paused:
      return u"A process has paused its training."_s;
    case RunState::finished:
      return u"All its epochs are done. “Continue for more epochs” trains it longer."_s;
    case RunState::stopped:
      return u"It was stopped and saved. “Resume” continues it, exact to the bit."_s;
    case RunState::failed:
      return QString::fromStdString(row.run.record.statusText);
    case RunState::interrupted:
      return u"Its process was killed, or there was a power cut. “Resume” continues from "
             "its last checkpoint."_s;
    case RunState::damaged:
      return u"%1\nIt can't be continued or inspected. Fix the file, or move the run to "
             "the trash."_s.arg(QString::fromStdString(row.run.problem));
    case RunState::imported:
      return row.run.problem.empty()
                 ? u"Curves that another program logged for TensorBoard."_s
                 : u"Curves that another program logged for TensorBoard. About its files:\n%1"_s
                       .arg(QString::fromStdString(row.run.problem));
  }
  return {};
}

}  // namespace lambda
