#pragma once

#include <vector>

#include <QString>
#include <QStringList>
#include <QWidget>

#include "widgets/export/exportable.h"

namespace lambda {

/// One line of a bar list.
struct Bar {
  QString name;
  double value = 0;       ///< 0..1
  bool isTrue = false;    ///< The true class: it has a mark beside its name.
  bool isChosen = false;  ///< The predicted class: its bar has the accent colour.

  bool operator==(const Bar&) const = default;
};

/// Class probabilities as horizontal bars, one per class, in the order given.
class BarList : public QWidget, public Exportable {
  Q_OBJECT

 public:
  explicit BarList(QWidget* parent = nullptr);

  void setBars(std::vector<Bar> bars);

  const std::vector<Bar>& bars() const { return bars_; }

  /// Stem of exported files.
  void setName(const QString& name) { name_ = name; }

  void setTitle(const QString& title);

  QString exportName() const override { return name_; }

  QString exportCaption() const override { return title_.isEmpty() ? accessibleName() : QString(); }

  QSize exportSize() const override;
  void paintTo(QPainter& painter, const QSize& size, const Colors& colors) const override;
  QString toCsv() const override;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  int rowHeight() const;
  QStringList lines() const;

  std::vector<Bar> bars_;
  QString name_ = QStringLiteral("probabilities");
  QString title_;
};

}  // namespace lambda
