// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/test_clock.h"

#include <chrono>
#include <string>

#include "base/json.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {

k8s::StatusResult<http::Response> answer_test_clock(FakeClock& clock, const http::Request& request) {
  using namespace std::chrono_literals;
  /// Longest step, which is far from the end of what a clock can say.
  constexpr auto longest_step = 24h * 366;
  const auto bad = [](const std::string& why) {
    return std::unexpected(k8s::answer::bad_request("clock: " + why));
  };
  if (request.method == "POST") {
    const auto document = json::parse(request.body);
    if (!document) return bad("the body is no JSON: " + document.error().message);
    const auto text = json::find_string(*document, "advance");
    if (!text || document->get_object().size() != 1) {
      return bad(R"(the body has to be an object with "advance" alone, such as {"advance": "10m"})");
    }
    const auto step = parse_duration(*text);
    if (!step) return bad("advance: " + step.error().message);
    if (*step < 0ns || *step > longest_step) return bad("advance has to be at least 0s and at most 8784h");
    clock.advance(*step);
  } else if (request.method != "GET" && request.method != "HEAD") {
    return std::unexpected(k8s::answer::method_not_allowed({}, request.method));
  }
  return http::Response::json(200, json::to_text(json::Object{{"now", format_time(clock.now())}}) + "\n");
}

}  // namespace fairway::apiserver::rest
