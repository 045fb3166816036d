#pragma once

#include <string>

#include "engine/values/architecture/graph.h"

namespace lambda {

/// The nodes of a network as one line of JSON, as network.py reads them:
///   {"normStatistics": "running", "nodes": [{"layer": "stem", "kind": "convolution",
///    "inputs": [-1], "input": [3, 32, 32], "output": [64, 32, 32], "kernel": 3, ...}, ...]}
/// Inputs are indices of nodes, or -1 for the image; maps are [channels, height, width].
std::string graphJson(const NetworkGraph& graph, NormStatistics statistics);

}  // namespace lambda
