#include <map>
#include <string>
#include <vector>

#include "engine/experiments/report/experiment_report.h"
#include "engine/experiments/report/report_numbers.h"

namespace lambda {

namespace {

std::string escaped(const std::string& text) {
  static const std::map<char, std::string> kSpecial{{'\\', "\\textbackslash{}"},
                                                    {'{', "\\{"},
                                                    {'}', "\\}"},
                                                    {'$', "\\$"},
                                                    {'&', "\\&"},
                                                    {'#', "\\#"},
                                                    {'%', "\\%"},
                                                    {'_', "\\_"},
                                                    {'^', "\\textasciicircum{}"},
                                                    {'~', "\\textasciitilde{}"},
                                                    {'<', "\\textless{}"},
                                                    {'>', "\\textgreater{}"}};
  std::string result;
  for (const char c : text) {
    const auto special = kSpecial.find(c);
    result += special == kSpecial.end() ? std::string(1, c) : special->second;
  }
  return result;
}

std::string latexRow(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : " & ") + cell;
  return "    " + line + " \\\\\n";
}

std::string latexTable(const ExperimentState& state, const MeasureResult& result, bool isFirst) {
  const std::vector<PublishedColumn> none;
  const auto& published = isFirst ? state.experiment.published : none;
  const std::string unit = unitOf(result.measure.quantity);
  std::string text = "\\begin{table}\n  \\centering\n  \\caption{" +
                     escaped(state.experiment.question + " " + titleOf(result.measure)) +
                     (unit.empty() ? "" : ", " + escaped(unit)) +
                     "; mean, standard deviation and 95~\\% interval over seeds.}\n" +
                     "  \\begin{tabular}{lrrrl" + std::string(published.size(), 'r') + "l}\n" +
                     "    \\toprule\n";
  std::vector<std::string> head{"Variant", "Seeds", "Mean", "Deviation", "Interval"};
  for (const PublishedColumn& column : published) {
    head.push_back(escaped(column.title + ", " + column.source));
  }
  head.emplace_back("Against the baseline");
  text += latexRow(head) + "    \\midrule\n";
  for (std::size_t i = 0; i < state.variants.size(); ++i) {
    const VariantResult& variant = result.variants[i];
    const ReportNumbers numbers = numbersOf(variant, result.measure.quantity);
    std::vector<std::string> cells{
        escaped(state.variants[i]),
        numbers.count,
        numbers.mean,
        numbers.deviation,
        numbers.low.empty() ? "" : "[" + numbers.low + ", " + numbers.high + "]"};
    for (const PublishedColumn& column : published) {
      cells.push_back(publishedText(column, state.variants[i]));
    }
    cells.push_back(escaped(variant.text));
    text += latexRow(cells);
  }
  return text + "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n";
}

}  // namespace

std::string latexReport(const ExperimentState& state) {
  std::string text = "% \\usepackage{booktabs}\n";
  for (std::size_t i = 0; i < state.results.size(); ++i) {
    text += latexTable(state, state.results[i], i == 0);
  }
  return text;
}

}  // namespace lambda
