#pragma once

#include <QWidget>

#include "app/runs/table/run_sort_filter.h"

class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;

namespace lambda {

/// The line above the table: search, filters by state, architecture and tag, and the number of runs
/// that match.
class RunFilterBar : public QWidget {
  Q_OBJECT

 public:
  /// `sorted` outlives the bar.
  explicit RunFilterBar(RunSortFilter& sorted, QWidget* parent = nullptr);

  void focusSearch();
  void clear();

  QLineEdit* searchField() const { return search_; }

  /// Adds a widget at the right end.
  void addAtEnd(QWidget* widget);

 Q_SIGNALS:
  void filtered();

 private:
  QToolButton* addFilter(const QString& title,
                         const QString& meaning,
                         void (RunFilterBar::*fill)(QMenu&));
  void fillStates(QMenu& menu);
  void fillArchitectures(QMenu& menu);
  void fillTags(QMenu& menu);
  void addChoice(QMenu& menu,
                 const QString& text,
                 bool on,
                 std::function<void(RunFilter&, bool)> change);
  void apply(const RunFilter& filter);
  void updateTexts();
  void updateSizes();
  void updateIcons();

  RunSortFilter& sorted_;
  QLineEdit* search_;
  QAction* searchIcon_;
  QToolButton* states_;
  QToolButton* architectures_;
  QToolButton* tags_;
  QToolButton* clear_;
  QLabel* count_;
};

}  // namespace lambda
