// What is kept of watches that have ended.
#include <chrono>
#include <thread>

#include "apiserver/objects_case.h"
#include "apiserver/watch/internal/watch_hub.h"

namespace fairway::apiserver::testing {
namespace {

using namespace std::chrono_literals;

class Watching : public WithObjects {
 protected:
  void watch(std::chrono::nanoseconds time) {
    WatchSpec spec;
    auto events = memory->watch({.resource = "configmaps", .namespace_name = "", .from = memory->revision()});
    spec.events = *std::move(events);
    spec.stream = http::Stream::make();
    spec.form = std::make_shared<const ObjectForm>(find("configmaps"), k8s::GroupVersionKind(),
                                                   IncludeObject::metadata, Clock::system());
    spec.bookmarks = true;
    spec.until = clock.steady() + time;
    hub.add(std::move(spec));
  }
  FakeClock clock;
  WatchHub hub{clock};
};

TEST_F(Watching, LeavesNoTimesBehind) {
  constexpr std::size_t count = 100;
  for (std::size_t i = 0; i < count; ++i) watch(1h);
  EXPECT_EQ(hub.timers(), count);
  // They end before their time.
  memory->close();
  while (hub.size() > 0) std::this_thread::yield();
  EXPECT_EQ(hub.timers(), 0U);
}

}  // namespace
}  // namespace fairway::apiserver::testing
