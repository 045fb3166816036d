#pragma once

#include <vector>

#include <QString>
#include <QWidget>

#include "widgets/export/exportable.h"

namespace lambda {

/// Singular values of one matrix, in descending order.
struct Spectrum {
  QString name;  ///< "content"
  std::vector<float> values;

  bool operator==(const Spectrum&) const = default;
};

/// Singular values of several matrices side by side, with the effective rank of each in the legend.
class SpectrumView : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit SpectrumView(QWidget* parent = nullptr);

  /// A series keeps the colour of its place; one without values keeps its place too.
  void setSpectra(std::vector<Spectrum> spectra);

  const std::vector<Spectrum>& spectra() const { return spectra_; }

  /// Stem of exported files.
  void setName(const QString& name) { name_ = name; }

  QString exportName() const override { return name_; }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  std::vector<Spectrum> spectra_;
  QString name_ = QStringLiteral("singular-values");
};

}  // namespace lambda
