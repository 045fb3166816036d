#include "app/inspect/contribution_style.h"

#include <QCoreApplication>

using namespace Qt::StringLiterals;

namespace lambda {

QString titleOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return QCoreApplication::translate("Inspect", "Content");
    case ContributionKind::position:
      return QCoreApplication::translate("Inspect", "Position");
    case ContributionKind::total:
      return QCoreApplication::translate("Inspect", "Total");
    case ContributionKind::effect:
      return QCoreApplication::translate("Inspect", "Effect");
  }
  return {};
}

QString symbolOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return QCoreApplication::translate("Inspect", "A content");
    case ContributionKind::position:
      return QCoreApplication::translate("Inspect", "A position");
    case ContributionKind::total:
      return QCoreApplication::translate("Inspect", "A total");
    case ContributionKind::effect:
      return u"‖A v‖"_s;
  }
  return {};
}

QString fileStemOf(ContributionKind kind) {
  switch (kind) {
    case ContributionKind::content:
      return u"contribution-content"_s;
    case ContributionKind::position:
      return u"contribution-position"_s;
    case ContributionKind::total:
      return u"contribution-total"_s;
    case ContributionKind::effect:
      return u"effect"_s;
  }
  return {};
}

ColorMap colorMapOf(ContributionKind kind) {
  return kind == ContributionKind::effect ? ColorMap::viridis : ColorMap::diverging;
}

ColorRange rangeOf(ContributionKind kind, const Array& map, double scale) {
  if (kind == ContributionKind::effect) return {0, rangeOf(ColorMap::viridis, map.values).high};
  if (scale > 0) return {-scale, scale};
  return rangeOf(ColorMap::diverging, map.values);
}

}  // namespace lambda
