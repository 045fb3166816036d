#include <thread>

#include <ATen/Parallel.h>

#include <QTest>

#include "engine/runtime/device.h"

using namespace lambda;

namespace {

ComputeDevice withThreads(int threads) {
  ComputeDevice device;
  device.threads = threads;
  return device;
}

}  // namespace

class TestDevice : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void aThreadsSettingIsItsOwn();
};

// An inspection uses few threads while a training uses many; both must give the same bits as alone.
void TestDevice::aThreadsSettingIsItsOwn() {
  useThreads(withThreads(3));
  int others = 0;
  std::thread other([&] {
    useThreads(withThreads(2));
    others = at::get_num_threads();
  });
  other.join();
  QCOMPARE(others, 2);
  QCOMPARE(at::get_num_threads(), 3);
}

QTEST_GUILESS_MAIN(TestDevice)
#include "tst_device.moc"
