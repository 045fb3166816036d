#include "engine/formats/transfer/lambda_module.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "engine/formats/transfer/torch_names.h"
#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::int64_t kMostChannels = 1 << 20;

/// Reads the tensors of a module and names them anew.
class ModuleReader {
 public:
  ModuleReader(const SafeTensors& file, const std::string& place) : file_(file), place_(place) {
    module_.file.storage = file.storage;
  }

  LambdaModule readTimm() {
    module_.library = "timm";
    const TensorView& qkv = projection("qkv.weight");
    readEmbeddings("conv_lambda", "pos_emb");
    const std::int64_t k = module_.mixer.queryDepth;
    const std::int64_t queries = channelsOf("norm_q.weight");
    const std::int64_t values = channelsOf("norm_v.weight");
    require(qkv.shape[0] == queries + k + values, qkv);
    addRows("queries.weight", qkv, 0, queries);
    addRows("keys.weight", qkv, queries, k);
    addRows("values.weight", qkv, queries + k, values);
    finish(qkv, queries, values);
    return std::move(module_);
  }

  LambdaModule readLucidrains() {
    module_.library = "lucidrains";
    readEmbeddings("pos_conv", "rel_pos_emb");
    const TensorView& q = projection("to_q.weight");
    const TensorView& k = projection("to_k.weight");
    const TensorView& v = projection("to_v.weight");
    const std::int64_t u = module_.mixer.intraDepth;
    require(k.shape[0] == module_.mixer.queryDepth * u && k.shape[1] == q.shape[1], k);
    require(v.shape[0] % u == 0 && v.shape[1] == q.shape[1], v);
    addRows("queries.weight", q, 0, q.shape[0]);
    addRows("keys.weight", k, 0, k.shape[0]);
    addRows("values.weight", v, 0, v.shape[0]);
    finish(q, q.shape[0], v.shape[0]);
    return std::move(module_);
  }

 private:
  void require(bool fits, const TensorView& tensor) const {
    if (fits) return;
    std::string shape;
    for (const std::int64_t size : tensor.shape) {
      shape += (shape.empty() ? "" : ", ") + std::to_string(size);
    }
    throw Error(place_,
                "tensor " + tensor.name + " [" + shape + "] does not fit the other tensors of a " +
                    module_.library + " LambdaLayer",
                "Save the state_dict() of one such layer alone.");
  }

  const TensorView& tensor(const std::string& name) const {
    const TensorView* found = file_.find(name);
    if (found == nullptr) {
      throw Error(place_,
                  "lacks the tensor " + name + " of a " + module_.library + " LambdaLayer",
                  "Save the state_dict() of one such layer alone.");
    }
    return *found;
  }

  const TensorView& floats(const std::string& name) const {
    const TensorView& found = tensor(name);
    const bool isSmall = std::all_of(found.shape.begin(), found.shape.end(), [](std::int64_t size) {
      return size > 0 && size <= kMostChannels;
    });
    require(isSmall, found);
    if (found.dtype != DType::F32) {
      throw Error(place_,
                  "tensor " + name + " has the type " + std::string(dtypeName(found.dtype)),
                  "Save the layer in float32: layer.float().state_dict().");
    }
    return found;
  }

  const TensorView& projection(const std::string& name) const {
    const TensorView& found = floats(name);
    require(found.shape.size() == 4 && found.shape[2] == 1 && found.shape[3] == 1, found);
    const std::string bias = name.substr(0, name.rfind('.')) + ".bias";
    if (file_.find(bias) != nullptr) {
      throw Error(place_,
                  "has " + bias + ": the projections of a lambda layer have no bias here",
                  "Make the layer without a bias (timm: qkv_bias=False).");
    }
    return found;
  }

  std::int64_t channelsOf(const std::string& name) const {
    const TensorView& found = floats(name);
    require(found.shape.size() == 1, found);
    return found.shape[0];
  }

  void addRows(const std::string& name,
               const TensorView& from,
               std::int64_t first,
               std::int64_t count) {
    std::vector<std::int64_t> shape = from.shape;
    shape[0] = count;
    const std::size_t row = from.bytes.size() / static_cast<std::size_t>(from.shape[0]);
    module_.file.tensors.push_back({name,
                                    from.dtype,
                                    shape,
                                    from.bytes.subspan(static_cast<std::size_t>(first) * row,
                                                       static_cast<std::size_t>(count) * row)});
  }

  void addNorm(const std::string& name, const std::string& from, std::int64_t channels) {
    for (const char* part : {"weight", "bias", "running_mean", "running_var"}) {
      TensorView each = floats(from + "." + part);
      require(each.shape.size() == 1 && each.shape[0] == channels, each);
      each.name = name + "." + part;
      module_.file.tensors.push_back(std::move(each));
    }
    TensorView counter = tensor(from + ".num_batches_tracked");
    require(counter.dtype == DType::I64 && counter.shape.empty(), counter);
    counter.name = name + ".num_batches_tracked";
    module_.file.tensors.push_back(std::move(counter));
  }

  /// Sets k, u, the scope and the map from the embeddings, whose values become a table
  /// [rows, u, k].
  void readEmbeddings(const std::string& convolution, const std::string& table) {
    if (file_.find(convolution + ".weight") != nullptr) {
      // [k, u, 1, r, r], or [k, u, r, r, 1]; an element lies at ((k u + u') rows + row).
      const TensorView& found = floats(convolution + ".weight");
      require(found.shape.size() == 5, found);
      const bool isLast = found.shape[4] == 1 && found.shape[2] != 1;
      const std::int64_t side = found.shape[3];
      require(
          (isLast ? found.shape[2] : found.shape[4]) == side && found.shape[isLast ? 4 : 2] == 1,
          found);
      require(side % 2 == 1 && side < 256, found);
      module_.mixer.scope = static_cast<int>(side);
      addTable(found, side * side, found.shape[0], found.shape[1], /*rowsLast=*/true);
      module_.hasBias = hasNonZero(convolution + ".bias");
      return;
    }
    // [2H-1, 2W-1, k], or [2H-1, 2W-1, k, u].
    const TensorView& found = floats(table);
    require(found.shape.size() == 3 || found.shape.size() == 4, found);
    require(found.shape[0] % 2 == 1 && found.shape[1] % 2 == 1, found);
    module_.height = static_cast<int>((found.shape[0] + 1) / 2);
    module_.width = static_cast<int>((found.shape[1] + 1) / 2);
    const std::int64_t u = found.shape.size() == 4 ? found.shape[3] : 1;
    addTable(found, found.shape[0] * found.shape[1], found.shape[2], u, /*rowsLast=*/false);
  }

  bool hasNonZero(const std::string& name) const {
    const TensorView* found = file_.find(name);
    return found != nullptr && std::any_of(found->bytes.begin(),
                                           found->bytes.end(),
                                           [](std::byte each) { return each != std::byte{0}; });
  }

  void addTable(
      const TensorView& from, std::int64_t rows, std::int64_t k, std::int64_t u, bool rowsLast) {
    module_.mixer.queryDepth = static_cast<int>(k);
    module_.mixer.intraDepth = static_cast<int>(u);

    // The views into the file keep its bytes, and the table gets bytes of its own.
    struct Bytes {
      std::shared_ptr<const std::vector<std::byte>> file;
      std::vector<std::byte> table;
    };

    const auto owner = std::make_shared<Bytes>();
    owner->file = file_.storage;
    owner->table.resize(from.bytes.size());
    for (std::int64_t row = 0; row < rows; ++row) {
      for (std::int64_t i = 0; i < u; ++i) {
        for (std::int64_t j = 0; j < k; ++j) {
          const std::int64_t source = rowsLast ? (j * u + i) * rows + row : (row * k + j) * u + i;
          const std::int64_t target = (row * u + i) * k + j;
          std::memcpy(owner->table.data() + target * sizeof(float),
                      from.bytes.data() + source * sizeof(float),
                      sizeof(float));
        }
      }
    }
    module_.file.tensors.push_back({"embedding.table", DType::F32, {rows, u, k}, owner->table});
    module_.file.storage = std::shared_ptr<const std::vector<std::byte>>(owner, &owner->table);
  }

  /// Sets heads and depths, and adds the norms.
  void finish(const TensorView& input, std::int64_t queries, std::int64_t values) {
    const std::int64_t k = module_.mixer.queryDepth;
    require(queries % k == 0, input);
    module_.mixer.heads = static_cast<int>(queries / k);
    module_.inputDepth = static_cast<int>(input.shape[1]);
    module_.outputDepth = static_cast<int>(values / module_.mixer.intraDepth) * module_.mixer.heads;
    addNorm("queryNorm", "norm_q", queries);
    addNorm("valueNorm", "norm_v", values);
  }

  const SafeTensors& file_;
  const std::string& place_;
  LambdaModule module_;
};

}  // namespace

std::optional<LambdaModule> lambdaModuleIn(const SafeTensors& file, const std::string& place) {
  std::vector<std::string> names;
  for (const TensorView& tensor : file.tensors) names.push_back(tensor.name);
  for (const std::string& prefix : sharedPrefixes(names)) {
    SafeTensors module = file;
    for (TensorView& tensor : module.tensors) {
      if (tensor.name.starts_with(prefix)) tensor.name.erase(0, prefix.size());
    }
    if (module.find("norm_v.weight") == nullptr) continue;
    if (module.find("qkv.weight") != nullptr) return ModuleReader(module, place).readTimm();
    if (module.find("to_q.weight") != nullptr) return ModuleReader(module, place).readLucidrains();
  }
  return std::nullopt;
}

}  // namespace lambda
