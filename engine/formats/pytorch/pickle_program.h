#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lambda {

/// The kinds of values in a pickled state dictionary.
enum class PickleKind {
  none,
  boolean,
  integer,
  real,
  text,
  list,
  tuple,
  dictionary,  ///< A dict or a collections.OrderedDict.
  global,      ///< The name of a class or function; never looked up, never called.
  object,      ///< What a class or function of the file's author would give; never made.
  storage,     ///< The bytes of tensors, elsewhere in the archive.
  tensor,      ///< A view of a storage.
};

/// Number of a value in PickledValues::values.
using PickleIndex = std::size_t;

/// A value. Contents are numbers of other values, so that a value which contains itself is harmless
/// to everything that does not follow them without end.
struct PickledValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  ///< Of an integer, and 0 or 1 of a boolean.
  std::string text;  ///< Of a text, or "module.name" of a global or of an object's class or maker.
  /// Elements of a list or a tuple, or those added to an object. Of a storage: the mark "storage",
  /// type, key, device, number of elements. Of a tensor: storage, offset, sizes, strides, and what
  /// training needs.
  std::vector<PickleIndex> items;
  /// Of a dictionary, or those set in an object, in their order.
  std::vector<std::pair<PickleIndex, PickleIndex>> entries;
};

struct PickledValues {
  std::vector<PickledValue> values;
  PickleIndex result = 0;
  std::size_t bytes = 0;  ///< Length of the pickle; what comes after it was not read.

  const PickledValue& operator[](PickleIndex index) const { return values[index]; }
};

/// The value that an untrusted pickle of protocol 2 describes, as torch.save() writes it. Nothing
/// is executed: of all the classes and functions that a pickle can name, those of a state
/// dictionary (OrderedDict, a tensor, a parameter, a storage) are understood as descriptions, and
/// what any other would give is an object without content. Throws Error naming `place`, the byte
/// and what was found, for other instructions and protocols; for programs that do not end within
/// 16 MiB; and for more than a million values.
PickledValues readPickle(std::span<const std::byte> bytes, const std::string& place);

}  // namespace lambda
