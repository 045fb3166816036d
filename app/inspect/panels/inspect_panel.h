#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/session/panel.h"
#include "engine/values/images/image.h"
#include "engine/values/inspection/heatmap.h"
#include "engine/values/inspection/inspection.h"
#include "engine/values/run/predictions.h"

namespace lambda {

class EquationView;
class Exportable;
struct Equation;

/// Greatest values of the colours, for pictures that are compared; none = that of the shown values.
struct PanelScales {
  std::optional<double> lambda = {};
  std::optional<double> embedding = {};
  std::optional<double> embeddingChange = {};
  std::optional<double> contribution = {};
};

/// An image whose network has no lambda layer to inspect.
struct PlainImage {
  Image image = {};
  Split split = Split::validation;
  int index = -1;  ///< Within the split; -1 = a person's own picture.
  std::shared_ptr<const Predictions> predictions = nullptr;  ///< Of all images; null = not known.
  bool isOffered = false;                                    ///< The predictions can be requested.
};

/// The panels of the page all show this state.
struct PanelState {
  std::shared_ptr<const InspectionSnapshot> snapshot = nullptr;  ///< Null = there is none.
  std::optional<Cell> query = {};  ///< The framed position; none = that of the snapshot.
  PanelScales scales = {};
  std::optional<PlainImage> plain = {};  ///< Shown where there is no snapshot.
  QString note = {};                     ///< Why there is nothing to show.
};

/// A panel of the Inspect workspace: pictures of one subject, drawn from one state. It is updated
/// while it is in view, and otherwise when it comes into view.
class InspectPanel : public Panel {
  Q_OBJECT

 public:
  using Panel::Panel;

  void setState(const PanelState& state);

  bool isInView() const { return isVisible(); }

  /// The pictures that can be exported, with different names.
  virtual std::vector<const Exportable*> exports() const = 0;

  /// Whether it shows the principal patterns of the embeddings, which a request must ask for.
  virtual bool showsPatterns() const { return false; }

  /// Keeps which equations are open, under keys in a group of the panel.
  void saveLayout(QSettings& settings) const override;
  void restoreLayout(QSettings& settings) override;

 Q_SIGNALS:
  /// The person asks for the predictions that `PlainImage` offers.
  void predictionsRequested();

 protected:
  virtual void showState(const PanelState& state) = 0;

  /// A view of the equation behind the panel's pictures, which the panel places; folded away at
  /// first unless it is `open`.
  EquationView* addEquation(const Equation& equation, bool open = true);

  void showEvent(QShowEvent* event) override;

 private:
  PanelState state_;
  bool isStale_ = true;

  struct Remembered {
    EquationView* view;
    bool isFirstOpen;  ///< Where nothing is remembered.
  };

  std::vector<Remembered> equations_;
};

}  // namespace lambda
