#include "app/report/html_page.h"

#include "engine/values/text/text_safety.h"
#include "widgets/theme/colors.h"

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

/// The policy of the page: even markup that somebody adds later can't fetch or run anything.
constexpr char kHead[] = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
)";

constexpr char kStyle[] = R"(
body { background: var(--page); color: var(--text); font: 15px/1.5 system-ui, sans-serif;
  max-width: 72rem; margin: 0 auto; padding: 1.5rem; overflow-wrap: anywhere; }
h1, h2, h3 { line-height: 1.25; break-after: avoid; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding: 0.25rem 0; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0;
  border-bottom: 1px solid var(--line); min-width: 4rem; white-space: pre-line; }
th { font-weight: 600; }
pre { white-space: pre-wrap; background: var(--band); padding: 0.75rem; }
p, li { white-space: pre-line; }
figure { margin: 1.5rem 0; break-inside: avoid; }
img { max-width: 100%; height: auto; }
figcaption { color: var(--soft); }
@media print {
  body { font-size: 9pt; max-width: none; padding: 0; }
  .wide { overflow: visible; }
  thead { display: table-header-group; }
  tr { break-inside: avoid; }
}
)";

QString escaped(const QString& text) {
  return QString::fromStdString(terminalText(text.toStdString(), LineBreaks::kept)).toHtmlEscaped();
}

QString variablesOf(const Colors& colors) {
  return u":root { --page: "_s + colors.page.name() + u"; --text: "_s + colors.text.name() +
         u"; --soft: "_s + colors.textSecondary.name() + u"; --line: "_s + colors.hairline.name() +
         u"; --band: "_s + colors.surface.name() + u"; }\n"_s;
}

QString element(const QString& start, const QString& text, const QString& name) {
  return u"<"_s + start + u">"_s + escaped(text) + u"</"_s + name + u">"_s;
}

}  // namespace

HtmlPage::HtmlPage(const QString& title) : html_(QString::fromUtf8(kHead)) {
  add(u"title"_s, title);
  // A sheet of paper is light, whatever the screen is.
  html_ += u"<style>\n:root { color-scheme: light dark; }\n"_s + variablesOf(printColors()) +
           u"@media screen and (prefers-color-scheme: dark) { "_s + variablesOf(darkColors()) +
           u"}"_s + QString::fromUtf8(kStyle) + u"</style>\n</head>\n<body>\n<main>\n"_s;
  add(u"h1"_s, title);
}

void HtmlPage::add(const QString& name, const QString& text) {
  html_ += element(name, text, name) + u"\n"_s;
}

void HtmlPage::beginSection(const QString& heading) {
  if (sections_ > 0) html_ += u"</section>\n"_s;
  const QString id = u"section-"_s + QString::number(++sections_);
  html_ += u"<section aria-labelledby=\""_s + id + u"\">\n"_s +
           element(u"h2 id=\""_s + id + u"\""_s, heading, u"h2"_s) + u"\n"_s;
}

void HtmlPage::addHeading(const QString& heading) {
  add(u"h3"_s, heading);
}

void HtmlPage::addParagraph(const QString& text) {
  add(u"p"_s, text);
}

void HtmlPage::addList(const QStringList& texts) {
  if (texts.isEmpty()) return;
  html_ += u"<ul>\n"_s;
  for (const QString& text : texts) add(u"li"_s, text);
  html_ += u"</ul>\n"_s;
}

void HtmlPage::addTable(const HtmlTable& table) {
  if (table.rows.isEmpty()) return;
  // With the focus, the keys scroll a table that is wider than the window.
  html_ += u"<div class=\"wide\" role=\"region\" tabindex=\"0\" aria-label=\""_s +
           escaped(table.caption) + u"\">\n<table>\n"_s;
  add(u"caption"_s, table.caption);
  html_ += u"<thead><tr>"_s;
  for (const QString& column : table.columns) {
    html_ += element(u"th scope=\"col\""_s, column, u"th"_s);
  }
  html_ += u"</tr></thead>\n<tbody>\n"_s;
  for (const QStringList& row : table.rows) {
    html_ += u"<tr>"_s;
    for (qsizetype i = 0; i < row.size(); ++i) {
      html_ += i == 0 ? element(u"th scope=\"row\""_s, row[i], u"th"_s)
                      : element(u"td"_s, row[i], u"td"_s);
    }
    html_ += u"</tr>\n"_s;
  }
  html_ += u"</tbody>\n</table>\n</div>\n"_s;
}

void HtmlPage::addCode(const QString& text) {
  html_ += u"<pre>"_s + element(u"code"_s, text, u"code"_s) + u"</pre>\n"_s;
}

void HtmlPage::addFigure(const HtmlFigure& figure) {
  html_ +=
      u"<figure>\n<picture><source media=\"screen and (prefers-color-scheme: dark)\" "
      u"srcset=\""_s +
      escaped(figure.dark) + u"\"/><img alt=\""_s + escaped(figure.text) + u"\" src=\""_s +
      escaped(figure.light) + u"\"/></picture>\n"_s;
  add(u"figcaption"_s, figure.text);
  html_ += u"</figure>\n"_s;
}

QByteArray HtmlPage::finished() && {
  if (sections_ > 0) html_ += u"</section>\n"_s;
  html_ += u"</main>\n</body>\n</html>\n"_s;
  return html_.toUtf8();
}

}  // namespace lambda
