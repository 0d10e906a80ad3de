// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/request_metrics.h"

#include <vector>

namespace fairway::apiserver::rest {
namespace {

const std::vector<double> duration_bounds{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
                                          3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};

std::string_view scope_of(const access::Attributes& attributes) {
  if (!attributes.name.empty() || attributes.verb == "create") return "resource";
  return attributes.namespace_name.empty() ? "cluster" : "namespace";
}

std::string upper(std::string_view verb) {
  if (verb == "create") return "POST";
  if (verb == "update") return "PUT";
  std::string text(verb);
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

}  // namespace

RequestMetrics::RequestMetrics() {
  const std::string in_flight = "apiserver_current_inflight_requests";
  const std::string help = "Requests that are being answered.";
  reading_ = registry_.gauge(in_flight, help, {{"request_kind", "readOnly"}});
  writing_ = registry_.gauge(in_flight, help, {{"request_kind", "mutating"}});
  watching_ = registry_.gauge("apiserver_longrunning_requests", "Open watches.", {{"verb", "WATCH"}});
  // etcd's names: its alerts fit.
  size_ = registry_.gauge("etcd_mvcc_db_total_size_in_bytes", "Size of the database and its log.");
  used_ = registry_.gauge("etcd_mvcc_db_total_size_in_use_in_bytes", "The same without pages that are free.");
  quota_ = registry_.gauge("etcd_server_quota_backend_bytes", "What the database may take; 0: no limit.");
  history_ = registry_.gauge("apiserver_storage_history_bytes", "What past revisions take in the database.");
  full_ = registry_.gauge("apiserver_storage_quota_exceeded", "1 while writes are refused for want of room.");
}

RequestMetrics::InFlight::InFlight(RequestMetrics& metrics, std::string_view method)
    : gauge_(method == "GET" || method == "HEAD" ? metrics.reading_ : metrics.writing_) {
  gauge_.add(1);
}

RequestMetrics::InFlight::~InFlight() {
  gauge_.add(-1);
}

void RequestMetrics::count(const access::Attributes& attributes, bool dry_run, int code,
                           std::chrono::nanoseconds took) {
  const std::string status = std::to_string(code);
  const std::string_view scope = scope_of(attributes);
  std::string key;
  for (const std::string_view part :
       {std::string_view(attributes.group), std::string_view(attributes.version),
        std::string_view(attributes.resource), std::string_view(attributes.subresource),
        std::string_view(attributes.verb), scope, std::string_view(status)}) {
    key.append(part).append("|");
  }
  if (dry_run) key += "All";
  const std::scoped_lock lock(mutex_);
  auto found = series_.find(key);
  if (found == series_.end()) {
    metrics::Labels labels{{"component", "apiserver"},       {"dry_run", dry_run ? "All" : ""},
                           {"group", attributes.group},      {"resource", attributes.resource},
                           {"scope", std::string(scope)},    {"subresource", attributes.subresource},
                           {"verb", upper(attributes.verb)}, {"version", attributes.version}};
    Series made;
    made.duration = registry_.histogram("apiserver_request_duration_seconds",
                                        "How long requests took, in seconds.", duration_bounds, labels);
    labels["code"] = status;
    made.total = registry_.counter("apiserver_request_total", "Requests that were answered.", labels);
    found = series_.emplace(std::move(key), made).first;
  }
  found->second.total.add();
  if (attributes.verb != "watch") {
    found->second.duration.observe(std::chrono::duration<double>(took).count());
  }
}

void RequestMetrics::show(const std::string& name, const std::string& help, const metrics::Labels& labels,
                          std::uint64_t count) {
  const auto [shown, is_new] = shown_.try_emplace({name, labels});
  if (is_new) shown->second.counter = registry_.counter(name, help, labels);
  if (count > shown->second.shown) {
    shown->second.counter.add(static_cast<double>(count - shown->second.shown));
    shown->second.shown = count;
  }
}

void RequestMetrics::show_flows(const std::vector<http::FlowCounts>& flows,
                                const flow::Waits::Counts& waits) {
  const std::string prefix = "apiserver_flowcontrol_";
  for (const http::FlowCounts& level : flows) {
    const metrics::Labels labels{{"priority_level", level.level}};
    registry_
        .gauge(prefix + "current_executing_requests", "Requests that are being answered, by level.", labels)
        .set(static_cast<double>(level.running));
    registry_
        .gauge(prefix + "current_inqueue_requests", "Requests that wait for their turn, by level.", labels)
        .set(static_cast<double>(level.waiting));
    show(prefix + "dispatched_requests_total", "Requests whose turn came, by level.", labels, level.served);
    const std::string rejected = prefix + "rejected_requests_total";
    const std::string why = "Requests that were refused for want of a turn, by level and reason.";
    show(rejected, why, {{"priority_level", level.level}, {"reason", "queue-full"}}, level.refused_full);
    show(rejected, why, {{"priority_level", level.level}, {"reason", "time-out"}}, level.refused_late);
  }
  registry_.gauge("fairway_waiting_requests", "Requests that wait for a kubelet or a webhook.")
      .set(static_cast<double>(waits.waiting));
  for (std::size_t i = 0; i < waits.refused.size(); ++i) {
    show("fairway_waiting_requests_refused_total",
         "Requests that were refused because too many wait for others, by the share that was used up.",
         {{"share", std::string(flow::Waits::shares[i])}}, waits.refused[i]);
  }
}

std::string RequestMetrics::text(const Now& now) {
  watching_.set(static_cast<double>(now.open_watches));
  size_.set(static_cast<double>(now.storage.file_bytes));
  used_.set(static_cast<double>(now.storage.used_bytes));
  quota_.set(static_cast<double>(now.storage.quota_bytes));
  history_.set(static_cast<double>(now.storage.history_bytes));
  full_.set(now.storage.is_out_of_space ? 1 : 0);
  const std::scoped_lock lock(mutex_);
  show_flows(now.flows, now.waits);
  for (auto& [resource, gauge] : objects_) {
    if (!now.objects.contains(resource)) gauge.set(0);
  }
  for (const auto& [resource, count] : now.objects) {
    const auto [gauge, is_new] = objects_.try_emplace(resource);
    if (is_new) {
      gauge->second = registry_.gauge("apiserver_storage_objects", "Objects that are stored, by resource.",
                                      {{"resource", resource}});
    }
    gauge->second.set(static_cast<double>(count));
  }
  return registry_.text();
}

}  // namespace fairway::apiserver::rest
