#pragma once

#include <QTest>
#include <cstddef>
#include <vector>

#include "tests/support/lambda_cases.h"

namespace lambda::test {

/// The rows of a test that runs for every combination of a lambda layer's options.
inline void addCases() {
  QTest::addColumn<int>("index");
  const std::vector<LambdaCase> cases = lambdaCases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    QTest::newRow(cases[i].name.c_str()) << static_cast<int>(i);
  }
}

/// The options of the row that runs now.
inline LambdaLayerOptions currentOptions() {
  QFETCH(int, index);
  return lambdaCases()[static_cast<std::size_t>(index)].options;
}

}  // namespace lambda::test
