#pragma once

#include <QList>
#include <QString>
#include <QStringList>

namespace lambda {

/// A table whose first column has the headings of its rows.
struct HtmlTable {
  QString caption;
  QStringList columns;
  QList<QStringList> rows;
};

/// A picture for a light page and for a dark one, as data: URIs.
struct HtmlFigure {
  QString text;  ///< What it shows.
  QString light;
  QString dark;
};

/// A page of HTML, written from its top to its end, that is one file: it has no scripts and no
/// links, and forbids a browser to fetch anything. All texts may come from files of a stranger:
/// their markup is shown and never obeyed. The page is well-formed XML too.
class HtmlPage {
 public:
  explicit HtmlPage(const QString& title);

  /// Ends the section before.
  void beginSection(const QString& heading);
  void addHeading(const QString& heading);
  void addParagraph(const QString& text);
  void addList(const QStringList& texts);
  /// Leaves out a table without rows.
  void addTable(const HtmlTable& table);
  /// Text in lines of their own, such as a command.
  void addCode(const QString& text);
  void addFigure(const HtmlFigure& figure);

  /// The whole page; ends it.
  QByteArray finished() &&;

 private:
  void add(const QString& element, const QString& text);

  QString html_;
  int sections_ = 0;
};

}  // namespace lambda
