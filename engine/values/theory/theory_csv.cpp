#include "engine/values/theory/theory_csv.h"

#include <cmath>

#include "engine/values/text/text.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

std::string finiteCell(double value) {
  return std::isfinite(value) ? formatNumber(value) : "";
}

}  // namespace

std::string theoryCsv(const TheoryFigure& figure) {
  std::string text = "series," + csvCell(figure.xTitle) + "," + csvCell(figure.yTitle) + "\n";
  for (const TheorySeries& series : figure.series) {
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      text += csvCell(series.name) + "," + finiteCell(series.x[i]) + "," + finiteCell(series.y[i]) +
              "\n";
    }
  }
  return text;
}

std::string theoryCsv(const std::vector<TheoryNumber>& numbers) {
  const auto optionalCell = [](const std::optional<double>& value) {
    return value ? finiteCell(*value) : std::string();
  };
  std::string text = "quantity,found,deviation,repetitions,unit,source,source's words\n";
  for (const TheoryNumber& number : numbers) {
    text += csvCell(number.title) + "," + finiteCell(number.value) + "," +
            optionalCell(number.deviation) + "," + std::to_string(number.count) + "," +
            csvCell(number.unit) + "," + optionalCell(number.published) + "," +
            csvCell(number.publishedText) + "\n";
  }
  return text;
}

}  // namespace lambda
