#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/runs/run_folder.h"
#include "engine/runtime/run_control.h"
#include "engine/values/run/run_request.h"

namespace lambda {

// Requests reach the process that trains a run as files in RUN/requests, so that they work wherever
// the folder can be written, also from another machine of a cluster. The process takes them twice a
// second and deletes each file. Those that it finds at its start were meant for an earlier one.

/// How the warning begins by which a run refuses a change of its settings; the reason follows.
inline constexpr std::string_view kChangeRefused = "the settings are not changed: ";

/// Leaves a request for the process that trains the run, and returns its file. Throws Error where
/// the file can't be written, and for a run that has ended.
std::filesystem::path leaveRequest(const RunFolder& run, const RunRequest& request);

/// Waits until the request was taken. If it was not in that time, withdraws it and throws Error: no
/// process trains the run.
void awaitTaken(const std::filesystem::path& request, std::chrono::milliseconds time);

/// Takes all requests of a run, the oldest first, and deletes them. One that can't be read is
/// deleted too, and `refused` gets the reason.
void takeRequests(const RunFolder& run,
                  const std::function<void(const RunRequest&)>& taken,
                  const std::function<void(const std::string& reason)>& refused);

/// Deletes all requests of a run and returns their number.
int dropRequests(const RunFolder& run);

/// Has the loop that a control belongs to do what is asked.
void passTo(RunControl& control, const RunRequest& request);

}  // namespace lambda
