#pragma once

#include <string>
#include <vector>

#include <QWidget>

#include "engine/values/inspection.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace lambda {

class ElidedLabel;

/// What is looked into and when: the probe image with what the network makes of it, the step that
/// the pictures belong to, and the choice of layer and image.
class ProbeHeader : public QWidget {
  Q_OBJECT

 public:
  explicit ProbeHeader(QWidget* parent = nullptr);

  /// The layers to choose from; the chosen one stays if it is among them, else it is the last.
  void setLayers(const std::vector<InspectableLayer>& layers);

  /// Name of the chosen layer; empty = there is none.
  std::string layer() const;

  int image() const;

  /// When the pictures are from; `isPast` offers the way back to the newest ones.
  void setWhen(const QString& text, bool isPast);

  /// Null = nothing is known of the image yet.
  void setProbe(const InspectionSnapshot* snapshot);

 Q_SIGNALS:
  /// layer() or image() is new by a person's choice.
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
