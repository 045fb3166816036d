#pragma once

#include "app/inspect/panels/inspect_panel.h"
#include "widgets/pictures/explanation.h"

class QCheckBox;
class QGridLayout;
class QLabel;

namespace lambda {

class EquationView;
class HeatmapView;
class SpectrumView;

/// The lambda of the query position: its content part, its position part and their sum, on one
/// scale or each on its own, and their singular values.
class LambdaPanel : public InspectPanel {
  Q_OBJECT

 public:
  explicit LambdaPanel(QWidget* parent = nullptr);

  HeatmapView& total() { return *total_; }

  HeatmapView& content() { return *content_; }

  HeatmapView& position() { return *position_; }

  SpectrumView& spectrum() { return *spectrum_; }

  bool isOneScale() const;
  void setOneScale(bool one);
  bool isLocked() const;
  void setLocked(bool locked);

  /// The "What is this?" text for the shown lambda.
  ExplanationText explanation() const;

  std::vector<const Exportable*> exports() const override;
  QList<QAction*> panelActions() const override;
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 protected:
  void showState(const PanelState& state) override;

 private:
  void arrange();
  void fitToText();
  void updateViews();
  void updateRanges();

  std::shared_ptr<const InspectionSnapshot> snapshot_;
  std::optional<double> scale_;
  QAction* lockScale_ = nullptr;
  EquationView* equation_;
  QGridLayout* grid_;
  std::vector<QWidget*> matrices_;  ///< The three views with their buttons.
  bool areTall_ = false;            ///< The matrices have more rows than columns.
  QCheckBox* oneScale_;
  QCheckBox* lock_;
  HeatmapView* total_;
  HeatmapView* content_;
  HeatmapView* position_;
  SpectrumView* spectrum_;
};

}  // namespace lambda
