#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include <QWidget>

#include "app/train/newest_task.h"
#include "engine/data/download.h"
#include "engine/values/data_report.h"
#include "engine/values/data_source.h"
#include "engine/values/problem.h"

class QButtonGroup;
class QFrame;
class QLabel;

namespace lambda {

class DataPlace;
class DownloadRow;

/// What is known of the chosen data.
enum class DataState { builtIn, checking, missing, damaged, usable };

/// Where the images come from: which kind of data set, and where it lies. What is chosen is checked
/// at once, beside the window; what is wrong with it, and what to do, stands below.
class DataPanel : public QWidget {
  Q_OBJECT

 public:
  /// What the panel does with files and the network.
  struct Services {
    std::function<DataReport(const DataSource&)> check;
    std::function<DownloadRequest(const std::filesystem::path& folder)> download;
  };

  static Services realServices();

  explicit DataPanel(Services services = realServices(), QWidget* parent = nullptr);
  ~DataPanel() override;

  /// Where downloads go, and where a set that was downloaded is looked for.
  void setDataFolder(const std::filesystem::path& folder);

  /// As in DataConfig.
  void setSource(const DataSource& source);

  /// Takes what somebody dropped or named. False where it looks like no data.
  bool offer(const std::filesystem::path& path);

  void setReadOnly(bool readOnly);

  DataState state() const { return state_; }

  /// The source with the place where it was found, for a run.
  DataSource resolvedSource() const;

  /// Shape, classes and counts of the data set; empty until it was checked and found usable.
  const std::optional<DatasetInfo>& dataset() const { return dataset_; }

  /// Errors about the source as far as the check has come.
  std::vector<Problem> problems() const;

 Q_SIGNALS:
  void sourceChosen(const lambda::DataSource& source);
  /// state(), dataset() or resolvedSource() is new.
  void stateChanged();

 protected:
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void makeChoices();
  void makePlace();
  void makeDownload();
  void choose(std::size_t kind);
  void showSource();
  void recheck();
  void takeReport(const DataReport& report);
  void setState(DataState state, const QString& text);
  void showState();

  Services services_;
  std::filesystem::path dataFolder_;
  DataSource source_;
  DataSource located_;  ///< The same with the place where it is read.
  std::optional<DatasetInfo> dataset_;
  DataState state_ = DataState::builtIn;
  QString stateText_;
  bool readOnly_ = false;
  bool isWaiting_ = false;  ///< With the check, until somebody sees the panel.

  QButtonGroup* choices_;
  QLabel* meaning_;
  QFrame* files_;
  DataPlace* place_;
  QLabel* sign_;
  QLabel* text_;
  DownloadRow* download_;
  NewestTask check_;
};

}  // namespace lambda
