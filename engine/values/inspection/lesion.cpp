#include "engine/values/inspection/lesion.h"

#include <algorithm>
#include <cmath>

namespace lambda {

bool cuts(const Lesion& lesion, const LambdaMixer& mixer, int mapHeight, int mapWidth) {
  const int number = lesion.number;
  switch (lesion.part) {
    case LesionPart::content:
      return mixer.content;
    case LesionPart::position:
      return mixer.embedding != PositionEmbedding::none;
    case LesionPart::scope: {
      const int whole = 2 * std::max(mapHeight, mapWidth) - 1;
      const int reached = mixer.scope > 0 ? std::min(mixer.scope, whole) : whole;
      return mixer.embedding == PositionEmbedding::relative && number > 0 && number % 2 == 1 &&
             number < reached;
    }
    case LesionPart::head:
      return number >= 0 && number < mixer.heads;
    case LesionPart::row:
      return number >= 0 && number < mixer.queryDepth;
  }
  return false;
}

std::string textOf(const Lesion& lesion) {
  const std::string number = std::to_string(lesion.number);
  switch (lesion.part) {
    case LesionPart::content:
    case LesionPart::position:
      return "no " + std::string(nameOf(lesion.part));
    case LesionPart::scope:
      return "scope " + number + "x" + number;
    case LesionPart::head:
    case LesionPart::row:
      return "no " + std::string(nameOf(lesion.part)) + " " + number;
  }
  return {};
}

Interval pairedInterval(std::int64_t lost, std::int64_t gained, std::int64_t images) {
  constexpr double kNormalQuantile = 1.959964;  // 97.5 % of a normal distribution are below it.
  // The method counts one image more of each kind.
  const double count = static_cast<double>(images) + 2;
  const double less = static_cast<double>(lost + 1) / count;
  const double more = static_cast<double>(gained + 1) / count;
  const double middle = more - less;
  const double reach = kNormalQuantile * std::sqrt((more + less - middle * middle) / count);
  return {std::max(-1.0, middle - reach), std::min(1.0, middle + reach)};
}

}  // namespace lambda
