#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/runtime/processes/launch.h"

namespace at {
class Tensor;
}

namespace c10d {
class ProcessGroup;
}

namespace lambda {

/// How long ranks wait for each other, and whom they tell.
struct Meeting {
  std::chrono::milliseconds noted = std::chrono::seconds(8);     ///< Until missing ranks are named.
  std::chrono::milliseconds givenUp = std::chrono::seconds(60);  ///< Until the start fails.
  std::chrono::milliseconds lost =
      std::chrono::seconds(6);  ///< Until a silent rank counts as lost.
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

/// The ranks of one training and what they tell each other. Every rank calls the same functions in
/// the same order; each call returns when all ranks have called it. All throw Error, with the rank
/// and its host, when a rank has died or does not answer. Lives on the training thread.
class Processes {
 public:
  virtual ~Processes() = default;

  virtual const Launch& launch() const = 0;

  /// Each rank with its host and process, in their order: "rank 1 on node7, process 4242".
  virtual const std::vector<std::string>& places() const = 0;

  /// How many ranks use the cores of this one, itself included.
  virtual int coreSharers() const = 0;

  int rank() const { return launch().rank; }

  int size() const { return launch().size; }

  bool isFirst() const { return launch().isFirst(); }

  /// Seconds that this rank has spent in the functions below, in all.
  virtual double communicationSeconds() const = 0;

  /// Replaces the values of all ranks by their sum.
  virtual void sum(at::Tensor& values) = 0;

  /// Replaces the values of all ranks by those of rank 0; the shapes must be equal.
  virtual void takeFromFirst(at::Tensor& values) = 0;
  void takeFromFirst(const std::vector<at::Tensor>& tensors);

  /// The text of rank 0.
  std::string fromFirst(const std::string& text);

  /// The texts of all ranks, in their order.
  std::vector<std::string> fromAll(const std::string& text);

  /// Connects the GPU of this rank, by its number, to those of all others; once. From then on the
  /// functions above take tensors of this GPU too. Throws Error where NCCL can't connect them.
  virtual void connectGpu(int index) = 0;

  /// The group for LibTorch's own algorithms.
  virtual c10d::ProcessGroup& group() = 0;

  /// Asks rank 0 to save and to end the training. Any thread may call it.
  virtual void requestStop() = 0;

  /// `stop` is called once, on a thread of this object, when a rank has asked for the end.
  virtual void onStopRequest(std::function<void()> stop) = 0;

  /// Why this rank can't go on, which the others learn, and fail with, when this object ends.
  virtual void leave(const std::string& reason) = 0;

  /// While an exception of an operation is handled: throws an Error that names the lost rank, or
  /// the exception again if all ranks are there.
  [[noreturn]] virtual void failed() = 0;
};

/// Whether this program was built with what many processes need.
bool canJoinProcesses();

/// Why many processes can't train on GPUs, one sentence; empty if they can. LibTorch's CUDA library
/// must be loaded; it is once a GPU has been selected.
std::string manyGpusObstacle();

/// Joins the other ranks of a launch. Throws Error naming those that are missing, or the place
/// where rank 0 can't be reached, and where this program can't have several processes.
std::shared_ptr<Processes> joinProcesses(const Launch& launch, const Meeting& meeting);

}  // namespace lambda
