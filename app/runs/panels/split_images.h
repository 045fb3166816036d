#pragma once

#include <memory>

#include <QObject>
#include <QString>

#include "app/session/worker_thread.h"
#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The images of one split of one data set for display: read or drawn on a worker thread. Only the
/// last requested ones are kept.
class SplitImages : public QObject {
  Q_OBJECT

 public:
  explicit SplitImages(QObject* parent = nullptr);
  ~SplitImages() override;

  /// The images; null until loaded() or failed().
  std::shared_ptr<const LabeledImages> images(const DataConfig& data, Split split);

 Q_SIGNALS:
  void loaded();
  /// What happened, why and what to do.
  void failed(const QString& reason);

 private:
  void load();

  DataConfig data_;
  Split split_ = Split::train;
  std::shared_ptr<const LabeledImages> images_;
  bool isKnown_ = false;  ///< data_ and split_ are loaded or being loaded.
  quint64 asked_ = 0;
  std::unique_ptr<WorkerThread> thread_;  ///< Created at the first request.
};

}  // namespace lambda
