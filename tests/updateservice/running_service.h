// SPDX-License-Identifier: Apache-2.0

// A whole service on loopback over sources that a test changes as it likes, and a client for it.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "http/raw_client.h"
#include "updateservice/service.h"
#include "updateservice/small_build.h"

namespace fairway::updateservice::testing {

/// Data of the fake sources; shared by the builders of all reloads.
struct World {
  std::mutex mutex;
  sources::FetchedReleases releases = small_releases();
  graphdata::Files files = small_files();
  int revision = 1;
  bool releases_fail = false, graph_data_fails = false;
  std::atomic<bool> releases_hang = false;  ///< true to make releases hang until they are stopped
  std::function<void()> changed;
  const void* watched_by = nullptr;  ///< source that `changed` belongs to; a replaced one may be gone only
                                     ///< later
  std::function<void(const std::stop_token&)> while_reading;  ///< called for each reading of graph data; set
                                                              ///< before any
  std::atomic<int> sources = 0;                               ///< number of existing sources of graph data

  /// Sets new graph data, and notifies the watcher.
  void set_files(const graphdata::Files& more) {
    std::function<void()> tell;
    {
      const std::lock_guard lock(mutex);
      files = small_files(more);
      ++revision;
      tell = changed;
    }
    if (tell) tell();
  }
  void set_failing(bool fails) {
    const std::lock_guard lock(mutex);
    releases_fail = graph_data_fails = fails;
  }
};

/// Waits until it is stopped.
inline void hang(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

class FakeReleaseSource final : public sources::ReleaseSource {
 public:
  explicit FakeReleaseSource(std::shared_ptr<World> world) : world_(std::move(world)) {}
  std::string name() const override { return "fake releases"; }
  Result<sources::FetchedReleases> fetch(const sources::FetchContext& context) override {
    if (world_->releases_hang) hang(context.stop);
    const std::lock_guard lock(world_->mutex);
    if (world_->releases_fail) return fail(ErrorCode::unavailable, "the releases are down");
    return world_->releases;
  }

 private:
  std::shared_ptr<World> world_;
};

class FakeGraphDataSource final : public sources::GraphDataSource {
 public:
  explicit FakeGraphDataSource(std::shared_ptr<World> world) : world_(std::move(world)) { ++world_->sources; }
  ~FakeGraphDataSource() override {
    const std::lock_guard lock(world_->mutex);
    --world_->sources;
    if (world_->watched_by == this) world_->changed = nullptr;
  }
  std::string name() const override { return "fake graph data"; }
  Result<sources::FetchedGraphData> fetch(const sources::FetchContext& context) override {
    if (world_->while_reading) world_->while_reading(context.stop);
    const std::lock_guard lock(world_->mutex);
    if (world_->graph_data_fails) return fail(ErrorCode::unavailable, "the graph data is down");
    return sources::FetchedGraphData{world_->files, std::to_string(world_->revision)};
  }
  bool watch(std::function<void()> changed, std::stop_token) override {
    const std::lock_guard lock(world_->mutex);
    world_->changed = std::move(changed);
    world_->watched_by = this;
    return true;
  }

 private:
  std::shared_ptr<World> world_;
};

struct TestReply {
  int status = 0;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  /// Returns the first value of a header; "" without one.
  std::string header(std::string_view name) const {
    for (const auto& [key, value] : headers) {
      if (equals_ignoring_case(key, name)) return value;
    }
    return "";
  }
  /// Returns the headers without those that differ from one reply to the next.
  std::vector<std::pair<std::string, std::string>> lasting_headers() const {
    auto lasting = headers;
    std::erase_if(lasting, [](const auto& entry) { return equals_ignoring_case(entry.first, "date"); });
    return lasting;
  }
};

using TestHeaders = std::vector<std::pair<std::string, std::string>>;

inline TestReply send_request(const std::string& address, const std::string& method,
                              const std::string& target, const TestHeaders& headers = {}) {
  http::RawClient client(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  std::string request = method + " " + target + " HTTP/1.1\r\nHost: test\r\nConnection: close\r\n";
  for (const auto& [name, value] : headers) request += name + ": " + value + "\r\n";
  client.send(request + "\r\n");
  const std::string raw = client.read_to_end();
  TestReply reply;
  const std::size_t head_end = raw.find("\r\n\r\n");
  if (head_end == std::string::npos) return reply;
  reply.status = static_cast<int>(std::strtol(raw.c_str() + 9, nullptr, 10));
  reply.body = raw.substr(head_end + 4);
  for (const std::string_view line : split(std::string_view(raw).substr(0, head_end), '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon != std::string_view::npos) {
      reply.headers.emplace_back(line.substr(0, colon), trim(line.substr(colon + 2)));
    }
  }
  return reply;
}

inline constexpr std::chrono::milliseconds refresh_timeout{20'000};

/// A service that is started, waits for the first refresh, and sends requests.
class RunningService {
 public:
  explicit RunningService(ServiceOptions options = {},
                          std::shared_ptr<World> its_world = std::make_shared<World>(),
                          Clock& clock = Clock::system())
      : world(std::move(its_world)) {
    options.server.listen = "127.0.0.1:0";
    options.server.io_threads = 2;
    options.status_listen = "127.0.0.1:0";
    options.settings = "fake";
    options.guards.has_peers = !options.peers.peers.empty();
    options.version = "0";
    auto started = Service::start(
        options,
        [world = world, guards = options.guards, &clock]() -> Result<std::unique_ptr<Builder>> {
          std::vector<std::unique_ptr<sources::ReleaseSource>> releases;
          releases.push_back(std::make_unique<FakeReleaseSource>(world));
          return std::make_unique<Builder>(std::move(releases), std::make_unique<FakeGraphDataSource>(world),
                                           "https://example.com/problem", clock, graphdata::load, guards);
        },
        clock);
    if (started) {
      service = std::move(*started);
    } else {
      error = started.error();
    }
  }

  /// Waits until `count` refreshes have ended since the start.
  RunningService& after_refreshes(std::size_t count) {
    EXPECT_TRUE(service->wait_for_refreshes(count, refresh_timeout));
    return *this;
  }
  TestReply get(const std::string& path, const TestHeaders& headers = {}) const {
    return send_request(service->address(), "GET", "/api/upgrades_info" + path, headers);
  }
  TestReply status(const std::string& path) const {
    return send_request(service->status_address(), "GET", path);
  }

  std::shared_ptr<World> world;
  std::unique_ptr<Service> service;
  std::optional<Error> error;
};

}  // namespace fairway::updateservice::testing
