// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/conversion_load.h"

#include <cstdint>
#include <random>
#include <stdexcept>
#include <utility>

#include "k8s/status.h"

namespace fairway::conformance {

namespace {

constexpr int objects = 20, threads = 8;

std::string name_of(int object) {
  return "g-" + std::to_string(object);
}

}  // namespace

ConversionLoad::ConversionLoad(const Cluster& cluster, const std::string& namespace_name) {
  const auto client = cluster.client();
  for (int i = 0; i < objects; ++i) {
    k8s::Dynamic one;
    one.set_resource({Gizmo::group, "v1", "Gizmo", "gizmos", k8s::Scope::namespaced});
    one.set_name(name_of(i));
    one.set_namespace_name(namespace_name);
    one.set("spec.mode", "m");
    if (const auto made = client->create(Gizmo::resource("v1"), one); !made)
      throw std::runtime_error(made.error().message);
  }
  begun_ = std::chrono::steady_clock::now();
  for (int thread = 0; thread < threads; ++thread) {
    callers_.emplace_back([this, &cluster, namespace_name, thread](const std::stop_token& stop) {
      call(cluster, namespace_name, thread, stop);
    });
  }
}

void ConversionLoad::call(const Cluster& cluster, const std::string& namespace_name, int thread,
                          const std::stop_token& stop) {
  // Retries would hide what is counted.
  const auto caller = cluster.client("admin", {.max_retries = 0});
  // Each in a slot of its own length, somewhere in it: what several threads ask at the same moment goes by
  // several connections, and what happens meanwhile meets requests under way.
  constexpr std::chrono::microseconds slot{1'000'000 * threads / per_second};
  std::mt19937 random(static_cast<unsigned>(thread));
  std::uniform_int_distribution<std::int64_t> somewhere(0, slot.count() - 1);
  auto next = begun_;
  for (int i = thread; !stop.stop_requested(); i += threads, next += slot) {
    std::this_thread::sleep_until(next + std::chrono::microseconds(somewhere(random)));
    const std::string version = i % 2 == 0 ? "v1alpha1" : "v1beta1";
    const auto begun = std::chrono::steady_clock::now();
    // Each time another object comes of it: the embedded server keeps what it has had converted. Nothing is
    // written.
    const json::Object patch{
        {"metadata", json::Object{{"annotations", json::Object{{"load", std::to_string(i)}}}}}};
    const auto got =
        caller->patch(Gizmo::resource(version), {namespace_name, name_of(i % objects)},
                      kube::PatchType::merge, patch, {}, {.field_manager = "load", .dry_run = true});
    {
      const std::lock_guard lock(mutex_);
      if (got) {
        ++done_;
      } else if (got.error().is(k8s::reason::too_many_requests)) {
        ++busy_;
      } else {
        failures_.push_back({begun, got.error().message});
      }
    }
    one_more_.notify_all();
  }
}

std::vector<ConversionLoad::Failure> ConversionLoad::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

bool ConversionLoad::wait_for(int more) {
  std::unique_lock lock(mutex_);
  const int wanted = done_ + more;
  return one_more_.wait_for(lock, std::chrono::seconds(60), [&] { return done_ >= wanted; });
}

void ConversionLoad::end() {
  for (std::jthread& caller : callers_) caller.request_stop();
  callers_.clear();
  ended_ = std::chrono::steady_clock::now();
}

std::chrono::duration<double> ConversionLoad::took() const {
  return (callers_.empty() ? ended_ : std::chrono::steady_clock::now()) - begun_;
}

}  // namespace fairway::conformance
