// This header has what nearly every source that touches torch includes. More is not better: GCC
// instantiates the waiting templates of the whole precompiled header again in every source
// (torch/nn/modules.h costs 3 s in each).
#pragma once

#include <ATen/ATen.h>
#include <torch/nn/init.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>
