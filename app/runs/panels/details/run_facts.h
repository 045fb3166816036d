#pragma once

#include <utility>
#include <vector>

#include <QString>
#include <QWidget>

class QGridLayout;
class QLabel;

namespace lambda {

/// A heading with lines below it, each with a name and a value. Values can be selected and copied;
/// values with a link report a click on it.
class RunFacts : public QWidget {
  Q_OBJECT

 public:
  struct Fact {
    QString name;
    QString value;
    QString link = {};      ///< The argument of linkClicked(); empty = no link.
    QString linkText = {};  ///< Shown behind the value; empty = the value itself is the link.
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
