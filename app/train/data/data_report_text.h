#pragma once

#include <QString>

#include "engine/values/config/data_report.h"

namespace lambda {

/// The contents of a usable set: "50,000 images for training and validation, 10,000 for the test,
/// 10 classes".
QString countsText(const DataReport& report);

/// The problems of the data and what to do, one paragraph per finding as rich text; empty without
/// findings.
QString findingsText(const DataReport& report);

}  // namespace lambda
