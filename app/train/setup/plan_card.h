#pragma once

#include <string>
#include <vector>

#include <QFrame>

#include "engine/values/problem.h"
#include "engine/values/run_config.h"

class QLabel;
class QPushButton;

namespace lambda {

/// What a training would be in a few numbers: the network, its steps, its memory, and what is wrong
/// with the network.
class PlanCard : public QFrame {
  Q_OBJECT

 public:
  explicit PlanCard(QWidget* parent = nullptr);

  /// Of the problems those of the network are told; the others stand beside their fields.
  /// `dataset` is what the data was found to hold, as far as that is known.
  void setPlan(const RunConfig& config,
               const std::optional<DatasetInfo>& dataset,
               const std::vector<Problem>& problems);

 Q_SIGNALS:
  /// An error stands in the network, at this field.
  void designRequested(const std::string& path);

 private:
  QLabel* caption_;
  QLabel* numbers_;
  QLabel* problem_;
  QPushButton* open_;
  std::string path_;  ///< Of the first error.
};

}  // namespace lambda
