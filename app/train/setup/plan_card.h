#pragma once

#include <string>
#include <vector>

#include <QFrame>

#include "engine/values/config/run_config.h"
#include "engine/values/fields/problem.h"

class QLabel;
class QPushButton;

namespace lambda {

/// A training in a few numbers: the network, its steps, its memory, and the problems of the
/// network.
class PlanCard : public QFrame {
  Q_OBJECT

 public:
  explicit PlanCard(QWidget* parent = nullptr);

  /// Only the problems of the network are shown; the others stand beside their fields. `dataset` is
  /// the content of the data, as far as it is known.
  void setPlan(const RunConfig& config,
               const std::optional<DatasetInfo>& dataset,
               const std::vector<Problem>& problems);

  /// Whether the plan is that of the training under way.
  void setUnderWay(bool underWay);

 Q_SIGNALS:
  /// An error is in the network, at this field.
  void designRequested(const std::string& path);

 private:
  QLabel* caption_;
  QLabel* numbers_;
  QLabel* problem_;
  QPushButton* open_;
  std::string path_;  ///< The path of the first error.
};

}  // namespace lambda
