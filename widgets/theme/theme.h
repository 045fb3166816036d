#pragma once

#include <QString>
#include <Qt>

class QApplication;
class QFrame;
class QWidget;

namespace lambda {

enum class ThemeChoice { system, light, dark };

/// Whether the system prefers dark windows: the last value of setSystemDark(), else the palette at
/// the program's start.
bool systemIsDark();
void setSystemDark(bool isDark);

/// Registers :/icons and :/theme.qss, which a static library does not do automatically. May be
/// called again.
void loadResources();

/// Gives the whole program a theme; may be called at any time. `scale` is the size of text, 1 to 2:
/// everything with a size that depends on text grows with it.
void applyTheme(QApplication& application, ThemeChoice choice, double scale = 1.0);

/// A widget's layout without margins at its edges; -1 = the style's spacing.
template <class Layout>
Layout* makeBareLayout(QWidget* owner, int spacing = -1) {
  auto* layout = new Layout(owner);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(spacing);
  return layout;
}

/// A hairline between two parts of a page.
QFrame* makeLine(Qt::Orientation orientation, QWidget* parent = nullptr);

/// Style rules shared by all widgets are keyed by these values of a widget's property "role":
///   "primary"    a button: the main action of a page, at most one
///   "quiet"      a button or tool button without a frame until it is hovered
///   "card"       a QFrame: raised ground, rounded, hairline frame
///   "panel"      a QFrame: the ground of side panels
///   "title", "heading", "secondary", "number", "error", "warning", "success"   a QLabel
inline constexpr char kRole[] = "role";

}  // namespace lambda
