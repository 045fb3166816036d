#pragma once

#include <deque>
#include <memory>

#include <QObject>
#include <QString>

#include "app/session/worker_thread.h"
#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"

namespace lambda {

/// The images of runs for thumbnails: reads or draws them on a worker thread and keeps the most
/// recently used ones. Of the training set only the validation images stay in memory.
class ImageLibrary : public QObject {
  Q_OBJECT

 public:
  explicit ImageLibrary(QObject* parent = nullptr);
  ~ImageLibrary() override;

  /// The images of a split; null until loaded() or failed().
  std::shared_ptr<const LabeledImages> images(const DataConfig& config, Split split);

 Q_SIGNALS:
  void loaded(const lambda::DataConfig& config,
              lambda::Split split,
              std::shared_ptr<const lambda::LabeledImages> images);
  /// What happened, why and what to do.
  void failed(const lambda::DataConfig& config, lambda::Split split, const QString& reason);

 private:
  struct Entry {
    DataConfig config;
    Split split = Split::validation;
    std::shared_ptr<const LabeledImages> images;  ///< Null while they are being read.
  };

  void take(const DataConfig& config, Split split, std::shared_ptr<const LabeledImages> images);
  void drop(const DataConfig& config, Split split);

  std::deque<Entry> entries_;  ///< The most recently used one first.
  WorkerThread thread_;
};

/// Whether both mean the same images: augmentation and the seed of the training order make no
/// difference.
bool isSameData(const DataConfig& a, const DataConfig& b);

}  // namespace lambda
