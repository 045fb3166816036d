#pragma once

#include <vector>

#include <QString>

#include "widgets/equations/formula.h"

namespace lambda {

/// A part of a formula.
struct Formula::Node {
  enum class Kind {
    letter,    ///< Slanted.
    upright,   ///< Digits, brackets, names of functions.
    relation,  ///< An operator with a space on both sides.
    space,
    sum,    ///< A large sign with what it runs over, parts[0], below it.
    bar,    ///< A line over parts[0].
    hat,    ///< A hat over parts[0].
    brace,  ///< A brace under parts[0], with `text` below it.
    group,  ///< parts[0], which is one base for scripts.
  };

  Kind kind = Kind::upright;
  QString text = {};
  std::vector<std::vector<Node>> parts = {};
  std::vector<Node> below = {};  ///< The subscript.
  std::vector<Node> above = {};  ///< The superscript.
};

std::vector<Formula::Node> parseFormula(const QString& tex);

}  // namespace lambda
