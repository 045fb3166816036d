#pragma once

#include <ATen/Context.h>

namespace lambda {

/// While it lives, a GPU computes convolutions of float32 in float32 and not in TF32.
class WithoutTf32 {
 public:
  WithoutTf32() { at::globalContext().setAllowTF32CuDNN(false); }

  ~WithoutTf32() { at::globalContext().setAllowTF32CuDNN(before_); }

  WithoutTf32(const WithoutTf32&) = delete;
  WithoutTf32& operator=(const WithoutTf32&) = delete;

 private:
  bool before_ = at::globalContext().allowTF32CuDNN();
};

}  // namespace lambda
