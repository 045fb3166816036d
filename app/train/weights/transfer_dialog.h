#pragma once

#include <QDialog>

#include "engine/formats/transfer/weight_transfer.h"

namespace lambda {

/// Every tensor of a network and of the file that it starts from: those taken, those that keep
/// their initial values, and those left out, with the reason.
class TransferDialog : public QDialog {
  Q_OBJECT

 public:
  TransferDialog(const WeightTransfer& transfer, const QString& file, QWidget* parent);
};

}  // namespace lambda
