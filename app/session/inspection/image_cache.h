#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <QObject>
#include <QPointer>

#include "engine/values/config/run_config.h"
#include "engine/values/images/labeled_images.h"
#include "engine/values/inspection/inspection.h"
#include "widgets/work/work.h"

namespace lambda {

using ImagesPointer = std::shared_ptr<const LabeledImages>;

/// The images of data sets for display: read or drawn in the background, and the most recently used
/// splits stay in memory. Of the training set only the requested images are kept.
class ImageCache : public QObject {
  Q_OBJECT

 public:
  explicit ImageCache(QObject* parent = nullptr);
  ~ImageCache() override;

  /// The images where they are in memory; otherwise null, and one of the calls to `context`
  /// follows. A newer request of a context for the same images replaces its older one.
  ImagesPointer images(const DataConfig& data,
                       Split split,
                       QObject& context,
                       std::function<void()> arrived,
                       FailedCall failed = {});

 private:
  struct Reader {
    QPointer<QObject> context;
    std::function<void()> arrived;
    FailedCall failed;
  };

  struct Entry {
    DataConfig data;
    Split split = Split::validation;
    ImagesPointer images;         ///< Null while they are being read.
    std::vector<Reader> readers;  ///< Those who wait for the images.
  };

  std::deque<Entry>::iterator find(const DataConfig& data, Split split);
  void read(const DataConfig& data, Split split);
  void dropOldest();

  std::deque<Entry> entries_;  ///< The most recently used one first.
  Work tasks_;
};

/// Whether both mean the same images: augmentation makes no difference.
bool isSameData(const DataConfig& a, const DataConfig& b);

}  // namespace lambda
