// SPDX-License-Identifier: Apache-2.0

#include "operators/cluster_status.h"

#include <utility>
#include <vector>

#include "base/log.h"
#include "console/loopback.h"
#include "operators/internal/status_openapi_text.h"

namespace fairway::operators {
namespace {

/// Interval at which it is looked whether this replica leads by now.
constexpr std::chrono::seconds look_at_lead{1};

http::Response openapi() {
  http::Response response = http::Response::json(200, status_openapi_text);
  response.headers.add("Cache-Control", "no-cache");
  return response;
}

}  // namespace

ClusterStatus::ClusterStatus(ClusterStatusSettings settings, UpdateBoard& board, const Clock& clock)
    : settings_(std::move(settings)),
      started_(clock.now()),
      board_(board),
      live_({{"program", [this] { return program_text(); }},
             {"cluster", [this] { return cluster_text(); }},
             {"risks",
              [this] {
                const std::lock_guard lock(mutex_);
                return risks_;
              }},
             {"update", [this] { return json::to_text(board_.part()); }},
             {"migrations", [this] { return migrations_text(); }}},
            settings_.limits) {}

void ClusterStatus::add_to(kube::Manager& manager) {
  is_on_ = settings_.console == ConsoleSetting::on || (settings_.console == ConsoleSetting::automatic &&
                                                       console::listens_on_loopback(manager.status_listen()));
  if (settings_.console == ConsoleSetting::on && manager.status_listen().empty())
    log::warning("--console changes nothing: there is no status port, as --status-listen is empty");
  leads_ = [&manager] { return manager.leads(); };
  if (manager.status_listen().empty()) is_on_ = false;
  manager.add_status_routes([this](http::Router& router) { return add_routes(router); });
  if (is_on_) add_controllers(manager);
}

Result<void> ClusterStatus::add_routes(http::Router& router) {
  const console::Options page{
      .part = console::Part::cluster, .api_prefix = "", .version = settings_.version, .is_on = [this] {
        return is_on_;
      }};
  if (auto added = console::add_routes(router, page); !added) return added;
  // Answered from what is made already: the threads of this port are for others.
  if (is_on_) live_.publish();
  router.immediate(
      "/status", "GET HEAD",
      console::guarded([this](const http::Request& request) { return live_.document(request); }, page));
  router.immediate(
      "/status/stream", "GET",
      console::guarded([this](const http::Request& request) { return live_.stream(request); }, page));
  router.immediate("/status/openapi", "GET HEAD",
                   console::guarded([](const http::Request&) { return openapi(); }, page));
  return {};
}

void ClusterStatus::add_controllers(kube::Manager& manager) {
  board_.on_change([this] { live_.changed("update"); });
  // Controllers of its own, as others may be waiting for the update service, or run in the leader only.
  clusters_ = manager.informers().get<openshift::ClusterVersion>();
  manager.controller<openshift::ClusterVersion>("cluster-status")
      .runs(kube::Runs::always)
      .reconcile(
          [this](const kube::Context&, const kube::Key& key,
                 const std::shared_ptr<const openshift::ClusterVersion>& cluster) -> Result<kube::Requeue> {
            if (key.name != openshift::ClusterVersion::object_name) return kube::done();
            {
              const std::lock_guard lock(mutex_);
              cluster_ = cluster;
            }
            live_.changed("cluster");
            return kube::done();
          });
  manager.controller<Migration>("migration-status")
      .runs(kube::Runs::always)
      .reconcile([this](const kube::Context&, const kube::Key& key,
                        const std::shared_ptr<const Migration>& migration) -> Result<kube::Requeue> {
        {
          const std::lock_guard lock(mutex_);
          if (migration) {
            migrations_[key] = migration;
          } else {
            migrations_.erase(key);
          }
        }
        live_.changed("migrations");
        return kube::done();
      });
  manager.add(
      "status-stream", [this](const std::stop_token& stop) { return live_.run(stop); }, kube::Runs::always);
  manager.add(
      "status-lead",
      [this](const std::stop_token& stop) -> Result<void> {
        Clock& machine = Clock::system();
        bool led = false;
        while (!stop.stop_requested()) {
          if (const bool leads = leads_(); std::exchange(led, leads) != leads) live_.changed("program");
          if (look_at_cluster()) live_.changed("cluster");
          machine.wait_until(machine.steady() + look_at_lead, stop);
        }
        return {};
      },
      kube::Runs::always);
}

void ClusterStatus::set_risks(const RiskStatus& status) {
  if (!is_on_) return;
  std::string text = risks_part_text(status);
  {
    const std::lock_guard lock(mutex_);
    risks_ = std::move(text);
  }
  live_.changed("risks");
}

std::string ClusterStatus::program_text() const {
  return json::to_text(json::Object{
      {"version", settings_.version}, {"started", format_time(started_)}, {"leads", leads_ && leads_()}});
}

std::string ClusterStatus::cluster_text() const {
  std::shared_ptr<const openshift::ClusterVersion> cluster;
  {
    const std::lock_guard lock(mutex_);
    cluster = cluster_;
  }
  json::Object part = cluster_part(cluster.get(), settings_.upstream);
  // What nobody has looked for is not missing.
  if (!cluster && !is_cluster_read_) part["known"] = false;
  return json::to_text(part);
}

bool ClusterStatus::look_at_cluster() {
  if (is_cluster_read_ || !clusters_ || !clusters_->has_synced()) return false;
  {
    // What goes after the cache was read is taken away after this.
    const std::lock_guard lock(mutex_);
    for (const auto& cluster : clusters_->cached()) {
      if (cluster->name() == openshift::ClusterVersion::object_name && !cluster_) cluster_ = cluster;
    }
  }
  is_cluster_read_ = true;
  return true;
}

std::string ClusterStatus::migrations_text() const {
  std::vector<std::shared_ptr<const Migration>> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, migration] : migrations_) all.push_back(migration);
  }
  return json::to_text(migrations_part(all));
}

}  // namespace fairway::operators
