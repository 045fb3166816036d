#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "engine/data/download.h"
#include "engine/values/config/data_report.h"
#include "engine/values/config/data_source.h"
#include "engine/values/fields/problem.h"
#include "widgets/work/work.h"

class QButtonGroup;
class QFrame;
class QLabel;
class QToolButton;

namespace lambda {

class DataPlace;
class DownloadRow;
struct DataLocation;

/// The state of the chosen data.
enum class DataState { builtIn, locating, checking, missing, damaged, usable };

/// The choice of the data: the kind of data set and its place. A choice is checked at once, without
/// blocking the window; problems and what to do about them are shown below.
class DataPanel : public QWidget {
  Q_OBJECT

 public:
  /// The panel's access to files and the network.
  struct Services {
    std::function<DataReport(const DataSource&)> check;
    std::function<DownloadRequest(const std::filesystem::path& folder)> download;
  };

  static Services realServices();

  explicit DataPanel(Services services = realServices(), QWidget* parent = nullptr);
  ~DataPanel() override;

  /// The folder for downloads, which is also searched for downloaded sets.
  void setDataFolder(const std::filesystem::path& folder);

  /// Sets the source of the DataConfig.
  void setSource(const DataSource& source);

  /// Chooses a path that somebody dropped or named. False where it does not look like data.
  bool offer(const std::filesystem::path& path);

  void setReadOnly(bool readOnly);

  DataState state() const { return state_; }

  /// The source with the place where it was found, for a run.
  DataSource resolvedSource() const;

  /// Shape, classes and counts of the data set; empty until it has been checked and can be used.
  const std::optional<DatasetInfo>& dataset() const { return dataset_; }

  /// Errors of the source, as far as the check has progressed.
  std::vector<Problem> problems() const;

 Q_SIGNALS:
  void sourceChosen(const lambda::DataSource& source);
  /// state(), dataset() or resolvedSource() has changed.
  void stateChanged();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void makeChoices();
  void makePlace();
  void makeDownload();
  void choose(std::size_t kind);
  void showSource();
  void recheck();
  void takeLocation(const DataLocation& location);
  void takeReport(const DataReport& report);
  void setState(DataState state, const QString& text);
  void showState();
  void showClasses();

  Services services_;
  std::filesystem::path dataFolder_;
  DataSource source_;
  DataSource located_;  ///< The same source with the place of its files.
  std::optional<DatasetInfo> dataset_;
  DataReport report_;  ///< Of the last check.
  DataState state_ = DataState::builtIn;
  QString stateText_;
  bool readOnly_ = false;
  bool isWaiting_ = false;  ///< The check waits until the panel is visible.

  QButtonGroup* choices_;
  QLabel* meaning_;
  QFrame* files_;
  DataPlace* place_;
  QLabel* sign_;
  QLabel* text_;
  QToolButton* classes_;  ///< Opens the table of classes.
  DownloadRow* download_;
  Work check_;
};

}  // namespace lambda
