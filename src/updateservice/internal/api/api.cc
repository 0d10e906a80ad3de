// SPDX-License-Identifier: Apache-2.0

#include "updateservice/internal/api/api.h"

#include "base/text.h"
#include "console/console.h"
#include "updateservice/internal/api/api_call.h"
#include "updateservice/internal/api/openapi.h"

namespace fairway::updateservice {
namespace {

constexpr std::string_view exposed_headers = "ETag, Fairway-Graph-Age, Retry-After";

}  // namespace

RequestHeaders::RequestHeaders(const http::Request& request) {
  const auto take = [](std::optional<std::string_view>& slot, std::string& joined, std::string_view value) {
    if (slot) {
      joined = std::string(*slot) + ", " + std::string(value);
      slot = joined;
    } else {
      slot = value;
    }
  };
  for (const http::Field& field : request.fields) {
    switch (field.name.size()) {
      case 6:
        if (equals_ignoring_case(field.name, "accept")) take(accept, joined_[0], field.value);
        if (!origin && equals_ignoring_case(field.name, "origin")) origin = field.value;
        break;
      case 13:
        if (equals_ignoring_case(field.name, "if-none-match")) take(if_none_match, joined_[1], field.value);
        if (!authorization && equals_ignoring_case(field.name, "authorization")) authorization = field.value;
        break;
      case 15:
        if (equals_ignoring_case(field.name, "accept-encoding"))
          take(accept_encoding, joined_[2], field.value);
        break;
      default:
        break;
    }
  }
}

Api::Api(ApiOptions options, const ServingState& serving, ServiceMetrics& metrics, const Clock& clock)
    : options_(std::move(options)),
      serving_(serving),
      metrics_(metrics),
      clock_(clock),
      openapi_(Document::compressible(openapi_text(options_.path_prefix),
                                      CachePolicy{options_.max_age, false}.json(false))),
      updates_turns_(options_.updates_at_once) {}

http::Response Api::run(Endpoint endpoint, Answer answer, Call& call) const {
  const SteadyTime start = clock_.steady();
  const auto audience = call.responses != nullptr
                            ? call.responses->rules->authenticate(call.headers.authorization)
                            : public_audience;
  http::Response response;
  if (audience) {
    call.audience = *audience;
    response = answer(*this, call);
  } else {
    response = Answers::refuse(*this, {401, "unauthorized", "the credentials are wrong"});
  }
  if (call.headers.origin) {
    response.headers.add("Access-Control-Allow-Origin", std::string(*call.headers.origin));
    response.headers.add("Access-Control-Expose-Headers", std::string(exposed_headers));
  }
  metrics_.count_request(endpoint, response.status, clock_.steady() - start);
  return response;
}

http::Handler Api::immediate(Endpoint endpoint, Answer answer) const {
  return [this, endpoint, answer](const http::Request& request) {
    const RequestHeaders headers(request);
    Call call{request, headers, Query(request.query), serving_.responses()};
    return run(endpoint, answer, call);
  };
}

http::Handler Api::blocking(Endpoint endpoint, Answer answer) const {
  return [this, endpoint, answer](const http::Request& request) {
    // Not the thread's own copy of the responses: a pool's idle threads would keep many old ones.
    const Served built = serving_.served();
    const RequestHeaders headers(request);
    Call call{request, headers, Query(request.query), built.responses.get(), &built};
    return run(endpoint, answer, call);
  };
}

http::Router Api::router() {
  const auto path = [this](Endpoint endpoint) {
    return options_.path_prefix + "/" + std::string(to_string(endpoint));
  };
  http::Router router;
  const auto made = [&](Endpoint endpoint, Answer answer) {
    router.immediate(path(endpoint), "GET HEAD", immediate(endpoint, answer));
  };
  const auto computed = [&](Endpoint endpoint, Answer answer) {
    router.blocking(path(endpoint), "GET HEAD", blocking(endpoint, answer));
  };
  made(Endpoint::graph, Answers::graph);
  made(Endpoint::graph_v1, Answers::graph);
  made(Endpoint::channels, Answers::channels);
  made(Endpoint::openapi, Answers::openapi);
  made(Endpoint::graph_data, Answers::graph_data);
  made(Endpoint::problems, Answers::problems);
  computed(Endpoint::explain, Answers::explain);
  computed(Endpoint::updates, Answers::updates);
  computed(Endpoint::path, Answers::path);
  computed(Endpoint::changes, Answers::changes);
  computed(Endpoint::stranded, Answers::stranded);
  router.blocking(path(Endpoint::signatures) + "/", "GET HEAD",
                  blocking(Endpoint::signatures, Answers::signature));
  router.fallback(immediate(Endpoint::other, Answers::nothing));
  router.options([this](const http::Request& request, std::string_view allow) {
    // Others' pages may ask the API, and have nothing to ask of the console.
    if (console::owns(request.path))
      return http::Response{.status = 204, .headers = {{"Allow", std::string(allow)}}};
    const Answer known = [](const Api&, const Call&) { return http::Response{.status = 204}; };
    http::Response response = immediate(Endpoint::other, known)(request);
    if (response.status != 204) return response;
    response.headers.add("Allow", std::string(allow));
    if (request.header("Origin")) {
      response.headers.add("Access-Control-Allow-Methods", std::string(allow));
      response.headers.add("Access-Control-Allow-Headers", "Accept, Authorization, If-None-Match");
      response.headers.add("Access-Control-Max-Age", "3600");
    }
    response.headers.add("Vary", "Origin");
    return response;
  });
  router.refusal([this](int status, std::string_view why) {
    return Answers::refuse(*this, {status, "refused", std::string(why)});
  });
  return router;
}

http::Router status_router(const ServingState& serving, std::function<std::string()> metrics_text) {
  const http::Handler alive = [](const http::Request&) { return http::Response::text(200, "ok\n"); };
  const http::Handler ready = [&serving](const http::Request&) {
    if (const auto reason = serving.not_ready()) {
      http::Response response = http::Response::text(503, "not ready: " + printable(*reason, 16'000) + "\n");
      response.headers.add("Retry-After", "1");
      return response;
    }
    if (!serving.stale()) return http::Response::text(200, "ok\n");
    return http::Response::text(
        200, "ok, with the last good graph, " + std::to_string(serving.age().count()) + " seconds old\n");
  };
  const http::Handler metrics = [text = std::move(metrics_text)](const http::Request&) {
    return http::Response::text(200, text(), "text/plain; version=0.0.4; charset=utf-8");
  };
  http::Router router;
  for (const char* path : {"/livez", "/liveness"}) router.immediate(path, "GET HEAD", alive);
  for (const char* path : {"/readyz", "/readiness"}) router.immediate(path, "GET HEAD", ready);
  router.blocking("/metrics", "GET HEAD", metrics);
  return router;
}

}  // namespace fairway::updateservice
