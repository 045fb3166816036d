#pragma once

#include <cstddef>
#include <vector>

#include <QTest>

#include "tests/support/lambda_cases.h"

namespace lambda::test {

/// Adds the rows of a test that runs for all cases of lambdaCases().
inline void addCases() {
  QTest::addColumn<int>("index");
  const std::vector<LambdaCase> cases = lambdaCases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
  }
}

/// The options of the current row.
inline LambdaLayerOptions currentOptions() {
  QFETCH(int, index);
  return lambdaCases()[static_cast<std::size_t>(index)].options;
}

}  // namespace lambda::test
