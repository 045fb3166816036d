#include "engine/formats/metrics/histograms_csv.h"

#include <limits>

#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

void appendCsv(const HistogramRecord& record, std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const LayerHistogram& layer : record.layers) {
    const std::string start = std::to_string(record.step) + "," + std::to_string(record.epoch) +
                              "," + csvCell(layer.layer) + "," + std::string(nameOf(layer.kind)) +
                              ",";
    const auto add = [&](double low, double high, std::int64_t count) {
      if (count == 0) return;
      text +=
          start + formatNumber(low) + "," + formatNumber(high) + "," + std::to_string(count) + "\n";
    };
    const Histogram& histogram = layer.histogram;
    add(-kInfinity, -kInfinity, histogram.negativeInfinity);
    for (const HistogramBin& bin : binsOf(histogram)) add(bin.low, bin.high, bin.count);
    add(kInfinity, kInfinity, histogram.positiveInfinity);
    add(kNaN, kNaN, histogram.notANumber);
  }
}

}  // namespace lambda
