#pragma once

#include <utility>
#include <vector>

#include <QString>
#include <QWidget>

class QGridLayout;
class QLabel;

namespace lambda {

/// A heading with lines below it, a name and a value each. Values can be selected and copied; those
/// with a link tell when it is clicked.
class RunFacts : public QWidget {
  Q_OBJECT

 public:
  struct Fact {
    QString name;
    QString value;
    QString link = {};      ///< What linkClicked() brings; empty = no link.
    QString linkText = {};  ///< Behind the value; empty = the value itself is the link.
    QString toolTip = {};
  };

  explicit RunFacts(const QString& heading, QWidget* parent = nullptr);

  /// Lines without a value are left out.
  void setFacts(const std::vector<Fact>& facts);

 Q_SIGNALS:
  void linkClicked(const QString& link);

 private:
  QGridLayout* lines_;
};

}  // namespace lambda
