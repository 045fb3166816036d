#include "engine/values/config/precision_choice.h"

#include <cmath>

#include "engine/values/config/enum_names.h"

namespace lambda {

namespace {

std::string gigaText(double perSecond) {
  return std::to_string(std::llround(perSecond / 1e9));
}

}  // namespace

Precision fasterPrecision(const PrecisionRates& rates) {
  const bool pays = rates.wereMeasured() && rates.bfloat16 >= kBfloat16Gain * rates.float32;
  return pays ? Precision::bfloat16 : Precision::float32;
}

std::string precisionText(Precision chosen, const PrecisionRates& rates) {
  const std::string name(nameOf(chosen));
  if (!rates.wereMeasured()) return name;
  if (rates.bfloat16 == 0) return name + ": the processor has no arithmetic in bfloat16";
  const bool isFloat32 = chosen == Precision::float32;
  const std::string ours = gigaText(isFloat32 ? rates.float32 : rates.bfloat16);
  const std::string theirs = gigaText(isFloat32 ? rates.bfloat16 : rates.float32);
  const std::string_view other = nameOf(isFloat32 ? Precision::bfloat16 : Precision::float32);
  return name + ", as measured: " + ours + " GFLOP/s, " + theirs + " in " + std::string(other);
}

}  // namespace lambda
