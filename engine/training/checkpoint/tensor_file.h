#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "engine/formats/tensors/safetensors.h"
#include "engine/training/checkpoint/named_tensor.h"

namespace lambda {

/// Publishes tensors as a safetensors file with a digest. Tensors on a GPU or with strides are
/// copied to dense CPU memory first. Throws Error if a type can't be stored or the file can't be
/// written.
void saveTensors(const std::filesystem::path& path,
                 const std::vector<NamedTensor>& tensors,
                 const std::map<std::string, std::string>& metadata);

/// Dense copies of tensors as a file in memory, without metadata. Throws Error if a type can't be
/// stored.
SafeTensors inMemory(const std::vector<NamedTensor>& tensors);

/// Copies a stored tensor into a live one of any device and memory format. Throws Error, naming
/// `place`, if it is missing or its shape or type differs.
void loadInto(const SafeTensors& file, const std::string& place, const NamedTensor& target);

/// A copy of a stored tensor on the CPU. Throws Error, naming `place`, for a type that checkpoints
/// do not use.
at::Tensor toTensor(const TensorView& view, const std::string& place);

/// The tensors with `prefix` before their names.
std::vector<NamedTensor> prefixed(const std::string& prefix, std::vector<NamedTensor> tensors);

/// All parameters and buffers of a module by name.
std::vector<NamedTensor> stateOf(const torch::nn::Module& module);

}  // namespace lambda
