#pragma once

#include <vector>

#include <QString>

#include "widgets/plots/lines/line_plot.h"

namespace lambda {

/// Singular values of one matrix, in descending order.
struct Spectrum {
  QString name;  ///< "content"
  std::vector<float> values;

  bool operator==(const Spectrum&) const = default;
};

/// Singular values of several matrices in one plot, with the effective rank of each in the legend.
class SpectrumView : public LinePlot {
  Q_OBJECT

 public:
  explicit SpectrumView(QWidget* parent = nullptr);

  /// A series keeps the colour of its place; one without values keeps its place too.
  void setSpectra(std::vector<Spectrum> spectra);

  const std::vector<Spectrum>& spectra() const { return spectra_; }

  QString toCsv() const override;

  QSize sizeHint() const override { return {360, 150}; }

  QSize minimumSizeHint() const override { return {180, 110}; }

 protected:
  QString placeAt(double x) const override;

 private:
  std::vector<Spectrum> spectra_;
};

}  // namespace lambda
