#pragma once

#include <filesystem>
#include <vector>

#include <QString>
#include <QStringList>
#include <QWidget>

namespace lambda {

struct LegendEntry {
  std::filesystem::path run;
  int colorIndex = 0;
  Qt::PenStyle penStyle = Qt::SolidLine;
  QString name;
  QString detail;  ///< Its difference from the others; wraps.
  QString value;   ///< "87.6 %"

  bool operator==(const LegendEntry&) const = default;
};

/// The runs of an overlay: a stroke in the run's colour, its name, its best value (its last one
/// where that is of the test set), and its difference from the others. A click selects a run; the
/// arrow keys move.
class RunLegend : public QWidget {
  Q_OBJECT

 public:
  explicit RunLegend(QWidget* parent = nullptr);

  void setEntries(std::vector<LegendEntry> entries);

  const std::vector<LegendEntry>& entries() const { return entries_; }

  /// Emits no signal.
  void setSelected(const std::filesystem::path& run);

  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override;
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void runClicked(const std::filesystem::path& run);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  QStringList lines() const;
  int heightOf(const LegendEntry& entry, int width) const;
  const LegendEntry* entryAt(int y) const;
  void choose(const LegendEntry& entry);

  std::vector<LegendEntry> entries_;
  std::filesystem::path selected_;
};

}  // namespace lambda
