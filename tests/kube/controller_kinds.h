// SPDX-License-Identifier: Apache-2.0

// Helpers for tests of controllers: a kind, and a manager that runs.
#pragma once

#include <chrono>
#include <future>
#include <stop_token>
#include <string>

#include "k8s/core.h"
#include "kube/client/api.h"
#include "kube/controller/manager.h"

namespace fairway::kube::testing {

class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::string_view color() const { return text("spec.color", "red"); }
  void set_color(std::string_view color) { set("spec.color", color); }
};

inline Widget widget(const std::string& name, std::string_view color = "red") {
  auto result = k8s::make<Widget>(name, "a");
  result.set_color(color);
  return result;
}

/// A manager that runs on a thread of its own, until it is stopped or destroyed.
class RunningManager {
 public:
  explicit RunningManager(Manager& manager)
      : result_(std::async(std::launch::async, [this, &manager] { return manager.run(stop_.get_token()); })) {
  }
  ~RunningManager() { stop_.request_stop(); }
  void request_stop() { stop_.request_stop(); }
  Result<void> stop() {
    stop_.request_stop();
    return result_.get();
  }
  Result<void> wait() { return result_.get(); }
  bool has_ended() const { return result_.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }

 private:
  std::stop_source stop_;
  std::future<Result<void>> result_;
};

}  // namespace fairway::kube::testing
