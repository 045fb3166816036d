#include "widgets/equations/formula_node.h"

#include <algorithm>
#include <map>
#include <utility>

using namespace Qt::StringLiterals;

namespace lambda {

namespace {

using Node = Formula::Node;
using Kind = Formula::Node::Kind;

const std::map<QString, std::pair<Kind, QString>>& commands() {
  static const std::map<QString, std::pair<Kind, QString>> table{
      {u"lambda"_s, {Kind::letter, u"λ"_s}},
      {u"sigma"_s, {Kind::letter, u"σ"_s}},
      {u"R"_s, {Kind::upright, u"ℝ"_s}},
      {u"in"_s, {Kind::relation, u"∈"_s}},
      {u"cdot"_s, {Kind::relation, u"·"_s}},
      {u"times"_s, {Kind::upright, u"×"_s}},
      {u"ldots"_s, {Kind::upright, u"…"_s}},
      {u"ge"_s, {Kind::relation, u"≥"_s}},
      {u"|"_s, {Kind::upright, u"‖"_s}},
      {u","_s, {Kind::space, u" "_s}},
  };
  return table;
}

/// Reads a formula from left to right; an unfinished one ends where the text ends.
class Parser {
 public:
  explicit Parser(const QString& tex) : tex_(tex) {}

  std::vector<Node> row() {
    std::vector<Node> nodes;
    while (at_ < tex_.size() && tex_[at_] != u'}') {
      if (tex_[at_] == u' ') {
        ++at_;
      } else if (tex_[at_] == u'_' || tex_[at_] == u'^') {
        const bool isBelow = tex_[at_++] == u'_';
        std::vector<Node> script = argument();
        if (nodes.empty()) continue;
        Node& base = nodes.back();
        if (base.kind == Kind::sum) {
          base.parts = {std::move(script)};
        } else {
          (isBelow ? base.below : base.above) = std::move(script);
        }
      } else {
        nodes.push_back(node());
      }
    }
    return nodes;
  }

 private:
  /// A group in braces, or a single sign.
  std::vector<Node> argument() {
    if (at_ >= tex_.size()) return {};
    if (tex_[at_] != u'{') return {node()};
    ++at_;
    std::vector<Node> inside = row();
    ++at_;
    return inside;
  }

  /// The text of a group in braces, as it is written.
  QString words() {
    if (at_ >= tex_.size() || tex_[at_] != u'{') return {};
    const qsizetype first = at_ + 1, last = std::max(first, tex_.indexOf(u'}', first));
    at_ = last + 1;
    return tex_.mid(first, last - first);
  }

  Node node() {
    const QChar sign = tex_[at_];
    if (sign == u'{') return {.kind = Kind::group, .parts = {argument()}};
    ++at_;
    if (sign == u'\\') return command();
    if (sign.isLetter()) return {.kind = Kind::letter, .text = sign};
    if (sign == u'=' || sign == u'+') return {.kind = Kind::relation, .text = sign};
    if (sign == u'-') return {.kind = Kind::relation, .text = u"−"_s};
    return {.kind = Kind::upright, .text = sign};
  }

  Node command() {
    qsizetype end = at_;
    while (end < tex_.size() && tex_[end].isLetter()) ++end;
    if (end == at_) ++end;
    const QString name = tex_.mid(at_, end - at_);
    at_ = end;
    if (name == u"sum"_s) return {.kind = Kind::sum, .text = u"Σ"_s};
    if (name == u"text"_s) return {.kind = Kind::upright, .text = words()};
    if (name == u"bar"_s) return {.kind = Kind::bar, .parts = {argument()}};
    if (name == u"hat"_s) return {.kind = Kind::hat, .parts = {argument()}};
    if (name == u"underbrace"_s) {
      std::vector<Node> inside = argument();
      return {.kind = Kind::brace, .text = words(), .parts = {std::move(inside)}};
    }
    const auto found = commands().find(name);
    if (found == commands().end()) return {.kind = Kind::upright, .text = name};
    return {.kind = found->second.first, .text = found->second.second};
  }

  QString tex_;
  qsizetype at_ = 0;
};

}  // namespace

std::vector<Formula::Node> parseFormula(const QString& tex) {
  return Parser(tex).row();
}

}  // namespace lambda
