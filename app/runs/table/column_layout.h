#pragma once

#include <map>

#include <QObject>
#include <QTimer>

class QMenu;
class QSettings;
class QTableView;

namespace lambda {

/// Keeps the visible columns of the table of runs, their order and their widths. A column is as
/// wide as its content, up to its limit, unless a person made it wider or narrower.
class ColumnLayout : public QObject {
  Q_OBJECT

 public:
  /// Lays out the columns of `table`, which owns this and has the model of runColumns().
  explicit ColumnLayout(QTableView& table);

  /// The actions to show or hide columns, for menus.
  QMenu* menu() const { return menu_; }

  /// Follows the text size.
  void updateScale();

  bool eventFilter(QObject* watched, QEvent* event) override;

  void saveLayout(QSettings& settings) const;
  /// Restores what saveLayout() saved, or else the standard layout.
  void restoreLayout(QSettings& settings);

 private:
  void reset();
  void fill();
  void fit();
  void giveWay();
  void fitSoon();
  int widthOf(int column) const;
  void onResized(int column, int from, int to);

  QTableView& table_;
  QMenu* menu_;
  std::map<int, int> chosen_;  ///< The widths that a person chose, also of hidden columns.
  double scale_;               ///< The text scale of these widths.
  bool isFitting_ = false;
  QTimer fitTimer_;
};

}  // namespace lambda
