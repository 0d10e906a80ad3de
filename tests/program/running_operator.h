// SPDX-License-Identifier: Apache-2.0

// The operator in a process of its own, and the API server that it works against.
#pragma once

#include <sys/wait.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/text.h"
#include "k8s/core.h"
#include "k8s/custom_resource_definition.h"
#include "kube/memory_api.h"
#include "support/talking_process.h"
#include "support/temp_directory.h"

namespace fairway::program::testing {

/// An API server in memory that serves the defined kinds, and records its requests.
class World {
  // Before `api`, whose threads write it until they end.
  mutable std::mutex mutex_;
  std::vector<std::string> paths_;

 public:
  World() {
    api.complete([](k8s::Dynamic& object) {
      if (!object.is(k8s::CustomResourceDefinition::resource) || object.has("status.conditions")) return;
      for (const char* type : {"NamesAccepted", "Established"}) {
        k8s::Editor condition = object.append("status.conditions");
        condition.set("type", type);
        condition.set("status", "True");
      }
    });
    api.intercept([this](const http::Request& request) {
      const std::lock_guard lock(mutex_);
      paths_.push_back(std::string(request.method) + " " + std::string(request.path));
      return 0;
    });
    kubeconfig = folder
                     .write("kubeconfig",
                            "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
                            "clusters: [{name: c, cluster: {server: \"http://" +
                                api.address() +
                                "\"}}]\nusers: [{name: u, user: {}}]\n"
                                "contexts: [{name: c, context: {cluster: c, user: u, namespace: home}}]\n")
                     .string();
  }

  /// Returns whether a request's "METHOD PATH" had this in it.
  bool was_asked(std::string_view part) const {
    const std::lock_guard lock(mutex_);
    for (const std::string& path : paths_) {
      if (path.contains(part)) return true;
    }
    return false;
  }
  /// Makes a ConfigMap, which the operator is to copy.
  void make_map(const std::string& name) const {
    const auto made = client->create(k8s::ConfigMap::resource.group_version_resource(),
                                     k8s::make<k8s::ConfigMap>(name, "default"));
    if (!made) throw std::runtime_error(made.error().message);
  }
  /// Returns the greeting of the copy, once it exists; "none" if it does not appear.
  std::string greeting_of(const std::string& name) const {
    Clock& clock = Clock::system();
    for (const SteadyTime until = clock.steady() + std::chrono::seconds(30); clock.steady() < until;) {
      const auto copy =
          client->get(k8s::ConfigMap::resource.group_version_resource(), {"default", name + "-copy"});
      if (copy) return std::string(copy->text("data.greeting"));
      clock.wait_until(clock.steady() + std::chrono::milliseconds(10), {});
    }
    return "none";
  }
  bool has(const k8s::Resource& resource, const k8s::Key& key) const {
    return client->get(resource.group_version_resource(), key).has_value();
  }

  kube::testing::MemoryApi api;
  const std::shared_ptr<kube::Client> client = api.client();
  const fairway::testing::TempDirectory folder;
  std::string kubeconfig;
};

/// The output of a process and its exit code.
struct Ended {
  int exit_code = -1;
  std::string output;
};

class Running {
 public:
  explicit Running(std::vector<std::string> arguments)
      : process_(
            with_program(std::move(arguments)),
            [this](std::string_view line) {
              const std::lock_guard lock(mutex_);
              lines_.emplace_back(line);
              changed_.notify_all();
            },
            [this] {
              const std::lock_guard lock(mutex_);
              ended_ = true;
              changed_.notify_all();
            }) {}

  /// The first line with this in it; empty if the process ends without one.
  std::string line_with(std::string_view part) {
    std::unique_lock lock(mutex_);
    std::string found;
    changed_.wait_for(lock, std::chrono::seconds(60), [&] {
      for (const std::string& line : lines_) {
        if (line.contains(part)) found = line;
      }
      return !found.empty() || ended_;
    });
    return found;
  }
  /// Sends SIGTERM, or 0 to wait for the end.
  Ended end(int signal = SIGTERM) {
    if (signal == 0) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::seconds(60), [&] { return ended_; });
    }
    const int status = process_.end(signal);
    Ended result;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const std::lock_guard lock(mutex_);
    result.output = join(lines_, "\n");
    return result;
  }

 private:
  static std::vector<std::string> with_program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "/proc/self/exe");
    return arguments;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  bool ended_ = false;
  fairway::testing::TalkingProcess process_;  ///< the last member: it uses the others
};

}  // namespace fairway::program::testing
