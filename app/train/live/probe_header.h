#pragma once

#include <string>
#include <vector>

#include <QWidget>

#include "engine/values/inspection/inspection.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace lambda {

class ElidedLabel;

/// The target and time of the inspection: the probe image with the network's prediction, the step
/// of the pictures, and the choice of layer and image.
class ProbeHeader : public QWidget {
  Q_OBJECT

 public:
  explicit ProbeHeader(QWidget* parent = nullptr);

  /// The layers to choose from; the chosen one stays if it is among them, otherwise the last one is
  /// chosen.
  void setLayers(const std::vector<InspectableLayer>& layers);

  /// Name of the chosen layer; empty = there is none.
  std::string layer() const;

  int image() const;

  /// The time of the pictures; `isPast` offers a button to return to the newest ones.
  void setWhen(const QString& text, bool isPast);

  /// The probe image and its prediction; null = not known yet.
  void setProbe(const InspectionSnapshot* snapshot);

 Q_SIGNALS:
  /// A person has chosen another layer() or image().
  void targetChosen();
  void newestRequested();

 private:
  QLabel* picture_;
  QLabel* when_;
  ElidedLabel* words_;
  QToolButton* newest_;
  QComboBox* layer_;
  QSpinBox* image_;
};

}  // namespace lambda
