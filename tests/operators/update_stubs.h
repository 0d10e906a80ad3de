// SPDX-License-Identifier: Apache-2.0

// An update service and a Prometheus that say what a recorded round says.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "http/url.h"
#include "operators/update_case.h"
#include "support/fake_service.h"

namespace fairway::operators::testing {

/// Stubs of the update service and the Prometheus: their answers in the current round, and the requests to
/// them.
class Stubs {
 public:
  Stubs()
      : service_([this](const http::Request& request) { return answer_service(request); }),
        prometheus_([this](const http::Request& request) { return answer_prometheus(request); }) {}

  void begin(const json::Value& round) {
    const std::lock_guard lock(mutex_);
    round_ = round;
    request_.reset();
    evaluated_.clear();
  }
  /// Returns the URL of the service, or one at which nothing listens.
  std::string upstream() const {
    const std::lock_guard lock(mutex_);
    const json::Value& refused = member(member(round_, "cincinnati"), "connectionRefused");
    return refused == true ? "http://127.0.0.1:1/graph" : service_.url("/api/upgrades_info/v1/graph");
  }
  std::string prometheus() const { return prometheus_.url(""); }
  /// Sets the answer to requests for the list of channels: 404 without one.
  void serve_channels(std::string text) {
    const std::lock_guard lock(mutex_);
    channels_ = std::move(text);
  }

  RoundResult result(json::Value status) const {
    const std::lock_guard lock(mutex_);
    return {.request = request_, .accept = accept_, .evaluated = evaluated_, .status = std::move(status)};
  }

 private:
  http::Response answer_service(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    if (request.path.ends_with("/channels"))
      return channels_.empty() ? http::Response::text(404, "none") : http::Response::json(200, channels_);
    request_ = http::parse_query(request.query);
    for (const http::Field& field : request.fields) {
      if (equals_ignoring_case(field.name, "Accept")) accept_ = field.value;
    }
    return service_answer(member(round_, "cincinnati"));
  }
  http::Response answer_prometheus(const http::Request& request) {
    const std::lock_guard lock(mutex_);
    std::string query;
    for (const auto& [name, value] : http::parse_query(request.query)) {
      if (name == "query") query = value;
    }
    evaluated_.push_back(query);
    return prometheus_answer(member(round_, "promql"), query);
  }

  mutable std::mutex mutex_;
  json::Value round_;
  std::optional<std::vector<std::pair<std::string, std::string>>> request_;
  std::string accept_, channels_;
  std::vector<std::string> evaluated_;
  fairway::testing::FakeService service_, prometheus_;
};

}  // namespace fairway::operators::testing
