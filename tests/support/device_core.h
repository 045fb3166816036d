#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#include "engine/kernels/cuda/cuda_kernels.h"
#include "tests/support/core_reference.h"
#include "tests/support/pairs_by_row.h"

namespace lambda::test {

/// Throws CUDA's error text if a call failed.
inline void requireCuda(cudaError_t error) {
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

inline void requireCuda(const CudaOutcome& outcome) {
  if (outcome.code != 0) throw std::runtime_error(outcome.text);
}

/// Device memory of exactly the given size, so that memory checkers find accesses beyond it. At
/// first all its bits are set, which are NaNs as floats.
class DeviceMemory {
 public:
  explicit DeviceMemory(std::size_t bytes) : bytes_(bytes) {
    if (bytes == 0) return;
    requireCuda(cudaMalloc(&data_, bytes));
    requireCuda(cudaMemset(data_, 0xFF, bytes));
  }

  template <class Value>
  explicit DeviceMemory(const std::vector<Value>& values)
      : DeviceMemory(values.size() * sizeof(Value)) {
    write(values.data(), bytes_, 0);
  }

  DeviceMemory(DeviceMemory&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

  DeviceMemory& operator=(DeviceMemory&&) = delete;

  ~DeviceMemory() { cudaFree(data_); }

  /// Null if empty.
  void* get() const { return data_; }

  void write(const void* from, std::size_t bytes, std::size_t offset) {
    if (bytes == 0) return;
    requireCuda(
        cudaMemcpy(static_cast<char*>(data_) + offset, from, bytes, cudaMemcpyHostToDevice));
  }

  /// Waits for the queued work and returns all bytes.
  std::vector<char> read() const {
    std::vector<char> bytes(bytes_);
    if (bytes_ > 0) {
      requireCuda(cudaDeviceSynchronize());
      requireCuda(cudaMemcpy(bytes.data(), data_, bytes_, cudaMemcpyDeviceToHost));
    }
    return bytes;
  }

 private:
  void* data_ = nullptr;
  std::size_t bytes_;
};

/// A device array of float32 or bfloat16.
class DeviceArray {
 public:
  /// `offset`: elements between an aligned address and the start of the array.
  DeviceArray(Element element, std::size_t size, std::size_t offset)
      : element_(element),
        size_(size),
        offset_(offset * width()),
        memory_(size > 0 ? size * width() + offset_ : 0) {}

  DeviceArray(Element element, const std::vector<float>& values, std::size_t offset)
      : DeviceArray(element, values.size(), offset) {
    if (element == Element::float32) {
      memory_.write(values.data(), values.size() * sizeof(float), offset_);
      return;
    }
    std::vector<Bfloat16> rounded;
    for (const float value : values) rounded.push_back(toBfloat16(value));
    memory_.write(rounded.data(), rounded.size() * sizeof(Bfloat16), offset_);
  }

  /// Null if empty.
  void* get() const { return size_ > 0 ? static_cast<char*>(memory_.get()) + offset_ : nullptr; }

  std::vector<char> bytes() const {
    const std::vector<char> all = memory_.read();
    return size_ > 0
               ? std::vector<char>(all.begin() + static_cast<std::ptrdiff_t>(offset_), all.end())
               : all;
  }

  std::vector<float> read() const {
    const std::vector<char> raw = bytes();
    std::vector<float> values(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (element_ == Element::float32) {
        std::memcpy(&values[i], &raw[i * sizeof(float)], sizeof(float));
      } else {
        Bfloat16 value;
        std::memcpy(&value, &raw[i * sizeof value], sizeof value);
        values[i] = fromBfloat16(value);
      }
    }
    return values;
  }

 private:
  std::size_t width() const { return element_ == Element::float32 ? 4 : 2; }

  Element element_;
  std::size_t size_, offset_;
  DeviceMemory memory_;
};

/// The operands of a core on the device, and the results of the kernels.
class DeviceCore {
 public:
  /// `offset`: elements between an aligned address and the start of each operand.
  DeviceCore(const CudaKernels& kernels,
             const CoreReference& core,
             Element element,
             std::size_t offset = 0)
      : kernels_(kernels),
        queries_(element, core.queries, offset),
        keys_(element, core.keys, offset),
        values_(element, core.values, offset),
        table_(element, core.table, offset),
        dy_(element, core.dy, offset),
        contentLambdas_(element, lambdaSizeOf(core.shape), offset),
        tableRowOf_(core.tableRowOf),
        pairs_(PairsByRow(core.tableRowOf, core.shape.tableRows).pairs),
        starts_(PairsByRow(core.tableRowOf, core.shape.tableRows).starts),
        workspace_(static_cast<std::size_t>(kernels.workspaceBytes(core.shape, element))),
        y(element, core.dy.size(), offset),
        dQueries(element, core.queries.size(), offset),
        dKeys(element, core.keys.size(), offset),
        dValues(element, core.values.size(), offset),
        dTable(Element::float32, core.table.size(), 0) {
    inputs.shape = core.shape;
    inputs.element = element;
    inputs.queries = queries_.get();
    inputs.keys = keys_.get();
    inputs.values = values_.get();
    inputs.table = table_.get();
    inputs.tableRowOf = static_cast<const std::int32_t*>(tableRowOf_.get());
    for (const std::int32_t row : core.tableRowOf) inputs.pairCount += row >= 0 ? 1 : 0;
    inputs.contentLambdas = contentLambdas_.get();
  }

  CudaOutcome forward(const CudaQueue& queue = {}) {
    return kernels_.forward(inputs, y.get(), queue);
  }

  CudaOutcome backward(const CudaQueue& queue = {}) {
    return kernels_.backward(
        inputs,
        {static_cast<const std::int32_t*>(pairs_.get()),
         static_cast<const std::int32_t*>(starts_.get())},
        dy_.get(),
        {dQueries.get(), dKeys.get(), dValues.get(), static_cast<float*>(dTable.get())},
        workspace_.get(),
        queue);
  }

  /// Compares the results bit by bit.
  bool hasSameResults(const DeviceCore& other) const {
    return y.bytes() == other.y.bytes() && dQueries.bytes() == other.dQueries.bytes() &&
           dKeys.bytes() == other.dKeys.bytes() && dValues.bytes() == other.dValues.bytes() &&
           dTable.bytes() == other.dTable.bytes();
  }

  CudaCoreInputs inputs;

 private:
  static std::size_t lambdaSizeOf(const CoreShape& shape) {
    if (!shape.hasContent) return 0;
    return static_cast<std::size_t>(shape.images * shape.queryDepth * shape.valueDepth);
  }

  const CudaKernels& kernels_;
  DeviceArray queries_, keys_, values_, table_, dy_, contentLambdas_;
  DeviceMemory tableRowOf_, pairs_, starts_, workspace_;

 public:
  DeviceArray y, dQueries, dKeys, dValues, dTable;
};

/// The largest relative distance among a device core's results, and the name of that result.
struct Furthest {
  double distance = 0;
  std::string of;
};

inline Furthest furthest(const DeviceCore& found, const CoreResults& expected) {
  Furthest most;
  const auto compare =
      [&](const char* of, const DeviceArray& array, const std::vector<double>& wanted) {
        const double distance = relativeDistance(array.read(), wanted);
        if (!(distance <= most.distance)) most = {distance, of};
      };
  compare("y", found.y, expected.y);
  compare("queries", found.dQueries, expected.queries);
  compare("keys", found.dKeys, expected.keys);
  compare("values", found.dValues, expected.values);
  compare("table", found.dTable, expected.table);
  return most;
}

/// The largest relative distance that kernels may have: some roundings of float32, or the rounding
/// of scores, outputs and content lambdas to the 8 bits of bfloat16.
inline double toleranceOf(Element element) {
  return element == Element::float32 ? 1e-6 : 6e-3;
}

}  // namespace lambda::test
