#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/tensors/safetensors.h"

namespace lambda {

/// Whether the bytes begin as those of a file of torch.save(), of any age.
bool looksLikeStateDict(std::span<const std::byte> bytes);

/// The tensors of a file of torch.save().
struct StateDict {
  SafeTensors file;   ///< Row-major copies in the dictionary's order, without metadata.
  std::string entry;  ///< Where they were in a checkpoint: "state_dict", "model.state_dict"; or "".
};

/// Reads an untrusted PyTorch file: a state dictionary saved by torch.save(), of version 1.6 or
/// later or in the format before it, alone or within a checkpoint: as the entry "state_dict_ema",
/// "model_ema", "state_dict", "model" and others with usual names, an averaged one first, or as the
/// only entry that is a dictionary of tensors. A tensor that the file stores with strides (channels
/// last) is reordered. Nothing in the file is executed, and other objects in a checkpoint are left
/// aside: see readPickle(). Throws Error naming the file and the place within it for anything else:
/// whole modules, TorchScript programs, big-endian numbers, damage, tensors that reach beyond their
/// storage, and tensors that are together more than four times the file.
StateDict readStateDict(const std::filesystem::path& path);

/// The same from bytes in memory; `place` names them in errors.
StateDict parseStateDict(std::span<const std::byte> bytes, const std::string& place);

/// The same from the archive's files under their paths; `archiveBytes` is the size of the archive.
StateDict stateDictOfMembers(const std::map<std::string, std::vector<std::byte>>& members,
                             std::uint64_t archiveBytes,
                             const std::string& place);

}  // namespace lambda
