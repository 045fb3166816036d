#include "engine/formats/pytorch/pickle_program.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/formats/pytorch/pickle_bytes.h"
#include "engine/runtime/error.h"
#include "engine/values/text/text_safety.h"

namespace lambda {

namespace {

constexpr std::size_t kMaxProgramBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxValues = 1'000'000;

constexpr std::string_view kOrderedDict = "collections.OrderedDict";
constexpr std::string_view kTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view kOldTensor = "torch._utils._rebuild_tensor";
constexpr std::string_view kParameter = "torch._utils._rebuild_parameter";

/// Runs a pickle's instructions on a stack of values.
class PickleProgram {
 public:
  PickleProgram(std::span<const std::byte> bytes, const std::string& place)
      : bytes_(bytes.first(std::min(bytes.size(), kMaxProgramBytes)), place) {}

  PickledValues run() {
    for (;;) {
      const unsigned instruction = bytes_.instruction();
      if (instruction == '.') break;
      if (!pushConstant(instruction) && !build(instruction)) {
        fail("has the pickle instruction " + std::to_string(instruction) +
                 ", which a state dictionary does not need",
             kSaveStateDict);
      }
    }
    out_.result = pop();
    if (!stack_.empty() || !marks_.empty()) fail("leaves values over", kDamagedPickle);
    out_.bytes = bytes_.position();
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& reason, const char* hint) const {
    bytes_.fail(reason, hint);
  }

  // ---- the stack ----

  void push(PickleIndex index) { stack_.push_back(index); }

  PickledValue& pushNew(PickleKind kind) {
    if (out_.values.size() == kMaxValues) fail("has more than a million values", kSaveStateDict);
    push(out_.values.size());
    PickledValue& value = out_.values.emplace_back();
    value.kind = kind;
    return value;
  }

  PickleIndex pop() {
    if (stack_.size() <= base()) fail("takes a value from an empty stack", kDamagedPickle);
    const PickleIndex index = stack_.back();
    stack_.pop_back();
    return index;
  }

  std::size_t base() const { return marks_.empty() ? 0 : marks_.back(); }

  /// The values since the last mark, which goes.
  std::vector<PickleIndex> popToMark() {
    if (marks_.empty()) fail("lacks a mark", kDamagedPickle);
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<PickleIndex> items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }

  /// The topmost value, to which an instruction adds: one of this kind or an object.
  PickledValue& top(PickleKind kind, const char* what) {
    if (stack_.size() <= base()) fail("takes a value from an empty stack", kDamagedPickle);
    PickledValue& value = out_.values[stack_.back()];
    if (value.kind != kind && value.kind != PickleKind::object)
      fail(std::string("adds to a value that is not ") + what, kDamagedPickle);
    return value;
  }

  // ---- instructions that push a constant ----

  bool pushConstant(unsigned instruction) {
    switch (instruction) {
      case 'N':
        pushNew(PickleKind::none);
        return true;
      case 0x88:
      case 0x89:
        pushNew(PickleKind::boolean).integer = instruction == 0x88 ? 1 : 0;
        return true;
      case 'K':
        pushInteger(static_cast<std::int64_t>(bytes_.number(1)));
        return true;
      case 'M':
        pushInteger(static_cast<std::int64_t>(bytes_.number(2)));
        return true;
      case 'J':
        pushInteger(bytes_.signedNumber(4));
        return true;
      case 0x8a:
        pushLong(bytes_.number(1));
        return true;
      case 0x8b:
        pushLong(bytes_.number(4));
        return true;
      case 'G':
        bytes_.take(8);
        pushNew(PickleKind::real);
        return true;
      case 'X':
        pushText(bytes_.number(4));
        return true;
      case 0x8c:
        pushText(bytes_.number(1));
        return true;
      case 'c':
        pushGlobal();
        return true;
      case '}':
        pushNew(PickleKind::dictionary);
        return true;
      case ']':
        pushNew(PickleKind::list);
        return true;
      case ')':
        pushNew(PickleKind::tuple);
        return true;
      default:
        return false;
    }
  }

  void pushInteger(std::int64_t value) { pushNew(PickleKind::integer).integer = value; }

  /// An integer of more than 64 bits, as a seed may be, describes no tensor.
  void pushLong(std::uint64_t count) {
    if (count <= 8) return pushInteger(bytes_.signedNumber(static_cast<std::size_t>(count)));
    bytes_.take(static_cast<std::size_t>(count));
    pushObject("int");
  }

  void pushText(std::uint64_t count) {
    const std::string_view text = bytes_.take(static_cast<std::size_t>(count));
    if (!isUtf8(text)) fail("has a text that is not UTF-8", kDamagedPickle);
    pushNew(PickleKind::text).text = text;
  }

  void pushGlobal() {
    const std::string module = bytes_.line();
    pushNew(PickleKind::global).text = withValidUtf8(module + "." + bytes_.line());
  }

  void pushObject(std::string name) { pushNew(PickleKind::object).text = std::move(name); }

  // ---- instructions that use the stack ----

  bool build(unsigned instruction) {
    switch (instruction) {
      case 0x80:
        protocol();
        return true;
      case '(':
        marks_.push_back(stack_.size());
        return true;
      case 'q':
        remember(bytes_.number(1));
        return true;
      case 'r':
        remember(bytes_.number(4));
        return true;
      case 'h':
        recall(bytes_.number(1));
        return true;
      case 'j':
        recall(bytes_.number(4));
        return true;
      case 0x85:
        pushTuple(1);
        return true;
      case 0x86:
        pushTuple(2);
        return true;
      case 0x87:
        pushTuple(3);
        return true;
      case 't':
        pushTuple(popToMark());
        return true;
      case 'a':
        appendItems({pop()});
        return true;
      case 'e':
        appendItems(popToMark());
        return true;
      case 's':
        setPair();
        return true;
      case 'u':
        setItems(popToMark());
        return true;
      case 'Q':
        pushStorage();
        return true;
      case 'R':
        call();
        return true;
      case 0x81:
        makeObject();
        return true;
      case 'b':
        attributes();
        return true;
      default:
        return false;
    }
  }

  void protocol() {
    const unsigned version = bytes_.byte();
    if (version != 2) {
      fail("is a pickle of protocol " + std::to_string(version) + "; 2 is read",
           "Save it with torch.save() and its default protocol.");
    }
  }

  void remember(std::uint64_t key) {
    if (stack_.size() <= base()) fail("remembers a value of an empty stack", kDamagedPickle);
    memory_[key] = stack_.back();
  }

  void recall(std::uint64_t key) {
    const auto found = memory_.find(key);
    if (found == memory_.end()) fail("recalls a value that was never remembered", kDamagedPickle);
    push(found->second);
  }

  void pushTuple(std::vector<PickleIndex> items) {
    pushNew(PickleKind::tuple).items = std::move(items);
  }

  void pushTuple(std::size_t count) {
    std::vector<PickleIndex> items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    pushTuple(std::move(items));
  }

  void appendItems(const std::vector<PickleIndex>& items) {
    auto& list = top(PickleKind::list, "a list").items;
    list.insert(list.end(), items.begin(), items.end());
  }

  void setPair() {
    const PickleIndex value = pop();
    const PickleIndex key = pop();
    setItems({key, value});
  }

  void setItems(const std::vector<PickleIndex>& items) {
    if (items.size() % 2 != 0) fail("has a key without a value", kDamagedPickle);
    auto& entries = top(PickleKind::dictionary, "a dictionary").entries;
    for (std::size_t i = 0; i < items.size(); i += 2) entries.emplace_back(items[i], items[i + 1]);
  }

  const PickledValue& item(const PickledValue& value, std::size_t i) const {
    return out_.values[value.items[i]];
  }

  void pushStorage() {
    const PickledValue& id = out_.values[pop()];
    // Old files name the class of a module with its source code.
    if (id.kind == PickleKind::tuple && id.items.size() == 4 && item(id, 0).text == "module") {
      push(id.items[1]);
      return;
    }
    // Old files end with the view that a storage is of another, or with nothing.
    const bool isWhole =
        id.items.size() == 5 || (id.items.size() == 6 && item(id, 5).kind == PickleKind::none);
    const bool fits = id.kind == PickleKind::tuple && isWhole && item(id, 0).text == "storage" &&
                      item(id, 1).kind == PickleKind::global &&
                      item(id, 2).kind == PickleKind::text &&
                      item(id, 4).kind == PickleKind::integer;
    if (!fits) fail("refers to something outside the file that is not a storage", kSaveStateDict);
    std::vector<PickleIndex> items = id.items;
    pushNew(PickleKind::storage).items = std::move(items);
  }

  /// A call. That of a function of state dictionaries is understood; any other gives an object.
  void call() {
    const PickleIndex arguments = pop();
    const PickledValue& function = out_.values[pop()];
    const PickledValue& given = out_.values[arguments];
    const bool isCallable =
        function.kind == PickleKind::global || function.kind == PickleKind::object;
    if (!isCallable || given.kind != PickleKind::tuple) {
      fail("calls something that is not a function", kDamagedPickle);
    }
    if (function.text == kOrderedDict && given.items.empty()) {
      pushNew(PickleKind::dictionary);
    } else if (function.text == kTensor) {
      if (given.items.size() < 6 || given.items.size() > 7) {
        fail("calls " + function.text + " with unexpected arguments", kSaveStateDict);
      }
      std::vector<PickleIndex> items = given.items;
      pushNew(PickleKind::tensor).items = std::move(items);
    } else if (function.text == kOldTensor && given.items.size() == 4) {
      std::vector<PickleIndex> items = given.items;
      pushNew(PickleKind::tensor).items = std::move(items);
    } else if (function.text == kParameter && !given.items.empty() &&
               item(given, 0).kind == PickleKind::tensor) {
      push(given.items[0]);
    } else {
      pushObject(function.text);
    }
  }

  void makeObject() {
    pop();
    const PickledValue& type = out_.values[pop()];
    if (type.kind != PickleKind::global) {
      fail("makes an object of something that is not a class", kDamagedPickle);
    }
    pushObject(type.text);
  }

  /// Attributes of an object: those of a state dictionary hold versions of modules, not weights.
  void attributes() {
    pop();
    top(PickleKind::dictionary, "a dictionary");
  }

  PickleBytes bytes_;
  PickledValues out_;
  std::vector<PickleIndex> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint64_t, PickleIndex> memory_;
};

}  // namespace

PickledValues readPickle(std::span<const std::byte> bytes, const std::string& place) {
  return PickleProgram(bytes, place).run();
}

}  // namespace lambda
