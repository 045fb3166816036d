#pragma once

#include <QString>

#include "engine/values/data_report.h"

namespace lambda {

/// "50,000 images for training and validation, 10,000 for the test, 10 classes": what a usable set
/// holds.
QString countsText(const DataReport& report);

/// What is wrong with it and what to do, a finding a paragraph as rich text; empty where nothing
/// is.
QString findingsText(const DataReport& report);

}  // namespace lambda
