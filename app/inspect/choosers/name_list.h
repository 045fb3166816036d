#pragma once

#include <QComboBox>

namespace lambda {

/// A list of long names: one that does not fit is shortened in its middle, and the tooltip has the
/// whole.
class NameList : public QComboBox {
  Q_OBJECT

 public:
  explicit NameList(QWidget* parent = nullptr);

 protected:
  void initStyleOption(QStyleOptionComboBox* option) const override;
};

}  // namespace lambda
