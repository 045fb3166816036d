#include "app/session/machine_service.h"

#include "app/session/data_location.h"

namespace lambda {

QFuture<DeviceChoice> MachineService::selectDevice(const DeviceConfig& config) {
  return lanes_.soon.run([engine = lanes_.engine, config] {
    return DeviceChoice{engine->selectDevice(config), engine->availableCores()};
  });
}

QFuture<ThroughputEstimate> MachineService::estimateThroughput(const RunConfig& config, int steps) {
  return lanes_.longTasks.run<ThroughputEstimate>(
      [engine = lanes_.engine, config, steps, folder = standardDataFolder()](
          QPromise<ThroughputEstimate>& promise) {
        RunConfig located = config;
        located.data.source = locatedSource(config.data.source, folder);
        RunControl control;
        PromiseObserver observer(promise, control);
        const auto estimate = engine->estimateThroughput(located, steps, control, observer);
        if (estimate) promise.addResult(*estimate);
      });
}

QFuture<WeightTransfer> MachineService::previewStart(const RunConfig& config,
                                                     const std::vector<std::string>& classNames) {
  return lanes_.soon.run([engine = lanes_.engine, config, classNames] {
    return engine->previewStart(config, classNames);
  });
}

QFuture<std::optional<CheckedStatement>> MachineService::verifyStatements() {
  using Checked = std::optional<CheckedStatement>;
  return lanes_.longTasks.run<Checked>([engine = lanes_.engine](QPromise<Checked>& promise) {
    engine->verifyStatements([&](const StatementResult& result, int count) {
      promise.addResult(CheckedStatement{result, count});
      return !promise.isCanceled();
    });
    promise.addResult(Checked());
  });
}

}  // namespace lambda
