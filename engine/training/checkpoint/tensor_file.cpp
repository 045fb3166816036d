#include "engine/training/checkpoint/tensor_file.h"

#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include <ATen/ATen.h>

#include "engine/runtime/error.h"

namespace lambda {

namespace {

constexpr std::pair<at::ScalarType, DType> kTypes[] = {{at::kFloat, DType::F32},
                                                       {at::kDouble, DType::F64},
                                                       {at::kHalf, DType::F16},
                                                       {at::kBFloat16, DType::BF16},
                                                       {at::kLong, DType::I64},
                                                       {at::kInt, DType::I32},
                                                       {at::kByte, DType::U8},
                                                       {at::kBool, DType::BOOL}};

DType storedType(const NamedTensor& item) {
  for (const auto& [live, stored] : kTypes) {
    if (live == item.tensor.scalar_type()) return stored;
  }
  throw Error(item.name,
              std::string("tensors of type ") + at::toString(item.tensor.scalar_type()) +
                  " can't be stored");
}

}  // namespace

void saveTensors(const std::filesystem::path& path,
                 const std::vector<NamedTensor>& tensors,
                 const std::map<std::string, std::string>& metadata) {
  std::vector<at::Tensor> dense;  // Keeps the memory of the views.
  std::vector<TensorView> views;
  for (const NamedTensor& item : tensors) {
    dense.push_back(item.tensor.detach().to(at::kCPU).contiguous());
    const at::Tensor& tensor = dense.back();
    views.push_back({item.name,
                     storedType(item),
                     tensor.sizes().vec(),
                     {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}});
  }
  writeSafeTensors(path, std::move(views), metadata);
}

SafeTensors inMemory(const std::vector<NamedTensor>& tensors) {
  std::size_t bytes = 0;
  for (const NamedTensor& item : tensors) bytes += item.tensor.nbytes();
  const auto storage = std::make_shared<std::vector<std::byte>>(bytes);
  SafeTensors file;
  std::byte* at = storage->data();
  for (const NamedTensor& item : tensors) {
    const at::Tensor dense = item.tensor.detach().to(at::kCPU).contiguous();
    std::memcpy(at, dense.const_data_ptr(), dense.nbytes());
    file.tensors.push_back(
        {item.name, storedType(item), dense.sizes().vec(), {at, dense.nbytes()}});
    at += dense.nbytes();
  }
  file.storage = storage;
  return file;
}

at::Tensor toTensor(const TensorView& view, const std::string& place) {
  for (const auto& [live, stored] : kTypes) {
    if (stored != view.dtype) continue;
    at::Tensor tensor = at::empty(view.shape, at::dtype(live));
    if (!view.bytes.empty()) {
      std::memcpy(tensor.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
    }
    return tensor;
  }
  throw Error(place,
              "tensor " + view.name + " has the type " + std::string(dtypeName(view.dtype)) +
                  ", which checkpoints do not use");
}

void loadInto(const SafeTensors& file, const std::string& place, const NamedTensor& target) {
  const TensorView* stored = file.find(target.name);
  if (stored == nullptr) {
    throw Error(place,
                "tensor " + target.name + " is missing",
                "the file belongs to another architecture or optimiser");
  }
  const at::Tensor source = toTensor(*stored, place);
  if (source.sizes() != target.tensor.sizes() ||
      source.scalar_type() != target.tensor.scalar_type()) {
    const auto describe = [](const at::Tensor& tensor) {
      std::string shape;
      for (const std::int64_t size : tensor.sizes()) {
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      }
      return std::string(at::toString(tensor.scalar_type())) + " [" + shape + "]";
    };
    throw Error(place,
                "tensor " + target.name + " is " + describe(source) + ", expected " +
                    describe(target.tensor),
                "the file belongs to another architecture or optimiser");
  }
  const at::NoGradGuard noGrad;
  target.tensor.detach().copy_(source);
}

std::vector<NamedTensor> prefixed(const std::string& prefix, std::vector<NamedTensor> tensors) {
  for (NamedTensor& item : tensors) item.name.insert(0, prefix);
  return tensors;
}

std::vector<NamedTensor> stateOf(const torch::nn::Module& module) {
  std::vector<NamedTensor> state;
  for (const auto& item : module.named_parameters()) state.push_back({item.key(), item.value()});
  for (const auto& item : module.named_buffers()) state.push_back({item.key(), item.value()});
  return state;
}

}  // namespace lambda
