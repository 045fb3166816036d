#pragma once

#include <string_view>

namespace lambda {

/// The source of network.py: the program that builds any network in PyTorch from the "architecture"
/// in the metadata of its weights, loads the weights and classifies images.
std::string_view pythonNetwork();

}  // namespace lambda
