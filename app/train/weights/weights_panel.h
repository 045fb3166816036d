#pragma once

#include <filesystem>
#include <optional>

#include <QWidget>

#include "engine/formats/transfer/weight_transfer.h"

class QLabel;
class QToolButton;

namespace lambda {

class ElidedLabel;

/// The weights that a training starts from: drawn from the seed, or a file, and what the network
/// takes from it.
class WeightsPanel : public QWidget {
  Q_OBJECT

 public:
  explicit WeightsPanel(QWidget* parent = nullptr);

  /// Empty: drawn from the seed. What the network takes is not known until setOutcome().
  void setFile(const std::filesystem::path& file);

  /// Shows the tensors that the network takes from the file.
  void setOutcome(const WeightTransfer& outcome);

  /// Why the network can't start from the file.
  void setFailure(const QString& reason);

  void setReadOnly(bool readOnly);

 Q_SIGNALS:
  /// Empty: the weights are to be drawn from the seed.
  void fileChosen(const std::filesystem::path& file);

 private:
  void choose();
  void showState();
  void showDetails();

  std::filesystem::path file_;
  std::optional<WeightTransfer> outcome_;
  QString failure_;
  bool readOnly_ = false;
  QLabel* caption_;
  ElidedLabel* name_;
  QToolButton* choose_;
  QToolButton* remove_;
  QLabel* text_;
  QToolButton* details_;
};

}  // namespace lambda
