#pragma once

#include <map>
#include <string>

#include "engine/formats/onnx/onnx_graph.h"

namespace lambda {

/// The versions that the files are written for: operators of ONNX 1.12.
inline constexpr int kOnnxIrVersion = 8;
inline constexpr int kOnnxOperators = 17;

/// The bytes of a ModelProto (onnx.proto) with the graph. `metadata` become its metadata_props.
/// Throws Error if they would exceed 2 GB, which no reader of protocol buffers accepts.
std::string encodeOnnxModel(const OnnxGraph& graph,
                            const std::string& graphName,
                            const std::string& producerVersion,
                            const std::map<std::string, std::string>& metadata);

}  // namespace lambda
