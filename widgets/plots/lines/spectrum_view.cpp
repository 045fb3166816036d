#include "widgets/plots/lines/spectrum_view.h"

#include <algorithm>
#include <cmath>

#include "engine/values/text/text.h"
#include "widgets/export/csv_field.h"
#include "widgets/plots/lines/effective_rank.h"
#include "widgets/text/quantity_text.h"

using namespace Qt::StringLiterals;

namespace lambda {

SpectrumView::SpectrumView(QWidget* parent) : LinePlot(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  setAccessibleName(u"Singular values"_s);
  setExportName(u"singular-values"_s);
  setExportCaption(accessibleName());
  setAxes({u"Number of the singular value"_s, ValueUnit::count}, {u"Singular value"_s});
}

void SpectrumView::setSpectra(std::vector<Spectrum> spectra) {
  spectra_ = std::move(spectra);
  std::vector<PlotLine> lines;
  QStringList words;
  std::size_t count = 1;
  for (const Spectrum& spectrum : spectra_) {
    PlotLine line{.colorIndex = static_cast<int>(lines.size()), .dotted = true};
    for (std::size_t i = 0; i < spectrum.values.size(); ++i) {
      line.points.emplace_back(static_cast<double>(i + 1), spectrum.values[i]);
    }
    if (!spectrum.values.empty()) {
      line.name = u"%1, rank %2"_s.arg(spectrum.name, numberText(effectiveRank(spectrum.values)));
      words << line.name;
    }
    count = std::max(count, spectrum.values.size());
    lines.push_back(std::move(line));
  }
  setAccessibleDescription(words.join(u"; "_s));
  setLines(std::move(lines), 0.5, static_cast<double>(count) + 0.5);
}

QString SpectrumView::placeAt(double x) const {
  return u"Singular value %1"_s.arg(countText(std::lround(x)));
}

QString SpectrumView::toCsv() const {
  if (!hasPoints()) return {};
  QString csv = u"matrix,number,value\n"_s;
  for (const Spectrum& spectrum : spectra_) {
    for (std::size_t i = 0; i < spectrum.values.size(); ++i) {
      csv += csvField(spectrum.name) + u","_s + QString::number(i + 1) + u","_s +
             QString::fromStdString(formatNumber(static_cast<double>(spectrum.values[i]))) +
             u"\n"_s;
    }
  }
  return csv;
}

}  // namespace lambda
