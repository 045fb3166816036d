#include "engine/runtime/processes/processes.h"

#include <algorithm>

#include <ATen/ATen.h>

namespace lambda {

namespace {

void write(const std::string& text, at::Tensor bytes) {
  std::ranges::copy(text, reinterpret_cast<char*>(bytes.mutable_data_ptr<std::uint8_t>()));
}

std::string read(const at::Tensor& bytes, std::int64_t length) {
  const auto* first = reinterpret_cast<const char*>(bytes.const_data_ptr<std::uint8_t>());
  return {first, first + length};
}

}  // namespace

void Processes::takeFromFirst(const std::vector<at::Tensor>& tensors) {
  const at::NoGradGuard noGradient;
  for (const at::Tensor& each : tensors) {
    at::Tensor sent = each.contiguous();
    takeFromFirst(sent);
    if (!isFirst()) each.copy_(sent);
  }
}

std::string Processes::fromFirst(const std::string& text) {
  at::Tensor length = at::full({1}, static_cast<std::int64_t>(text.size()), at::kLong);
  takeFromFirst(length);
  at::Tensor bytes = at::empty({length.item<std::int64_t>()}, at::kByte);
  if (isFirst()) write(text, bytes);
  if (bytes.numel() > 0) takeFromFirst(bytes);
  return read(bytes, bytes.numel());
}

std::vector<std::string> Processes::fromAll(const std::string& text) {
  at::Tensor lengths = at::zeros({size()}, at::kLong);
  lengths[rank()].fill_(static_cast<std::int64_t>(text.size()));
  sum(lengths);
  // A row for each rank; all others have zeros there, so that the sum is the row itself.
  at::Tensor rows =
      at::zeros({size(), std::max<std::int64_t>(1, lengths.max().item<std::int64_t>())}, at::kByte);
  write(text, rows[rank()]);
  sum(rows);
  std::vector<std::string> texts;
  for (int i = 0; i < size(); ++i) texts.push_back(read(rows[i], lengths[i].item<std::int64_t>()));
  return texts;
}

}  // namespace lambda
