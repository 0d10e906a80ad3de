// SPDX-License-Identifier: Apache-2.0

// Answers that are computed for each request: these run in the pool of blocking handlers.
#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/changes.h"
#include "graph/explain.h"
#include "graph/explained_updates.h"
#include "graph/paths.h"
#include "http/compress.h"
#include "http/negotiate.h"
#include "http/url.h"
#include "updateservice/internal/api/api_call.h"
#include "updateservice/internal/api/signatures.h"
#include "updateservice/internal/api/turns.h"
#include "updateservice/internal/bodies/anonymous.h"
#include "updateservice/internal/bodies/graph_data_tarball.h"

namespace fairway::updateservice {
namespace {

constexpr std::array<std::string_view, 1> json_media_types{"application/json"};

/// Bytes of an answer from which on compressing it is worth the time.
constexpr std::size_t worth_compressing = 1024;

const Refusal unacceptable_coding{406, "invalid_content_type", "no acceptable content coding is offered"};

graph::UpdateGraph parse_graph(std::string_view body) {
  auto read = graph::read_cincinnati_json(body, "an earlier build");
  return read ? std::move(read->graph) : graph::UpdateGraph{};
}

/// Adds the headers that tell caches how to treat a computed answer.
void add_caching(http::Response& response, const CachePolicy& policy, AudienceIndex audience) {
  response.headers.add("Cache-Control", policy.cache_control(audience != public_audience));
  response.headers.add("Vary", policy.vary());
}

}  // namespace

http::Response Api::Answers::send_json(const Api& api, const json::Object& answer, const Call& call) {
  if (!http::choose_media_type(call.headers.accept, json_media_types)) {
    return refuse(api, {406, "invalid_content_type", "invalid Content-Type requested"});
  }
  const auto encoding = call.headers.accept_encoding;
  const bool identity = !encoding || http::accepts_identity(*encoding);
  const bool gzip = encoding && http::accepts_gzip(*encoding);
  if (!identity && !gzip) return refuse(api, unacceptable_coding);
  std::string text = json::to_text(answer);
  const bool compressed = gzip && (!identity || text.size() >= worth_compressing);
  http::Response response = http::Response::json(200, compressed ? http::gzip(text) : std::move(text));
  if (compressed) response.headers.add("Content-Encoding", "gzip");
  add_caching(response, {api.options_.max_age, !call.responses->rules->empty()}, call.audience);
  if (api.serving_.stale()) response.headers.add(age_header, std::to_string(api.serving_.age().count()));
  return response;
}

http::Response Api::Answers::explain(const Api& api, const Call& call) {
  const auto channel = call.channel();
  if (!channel) return refuse(api, channel.error());
  const auto update = call.update();
  if (!update) return refuse(api, update.error());
  const graph::View* const view = call.view();
  if (view == nullptr) return not_ready(api);
  graph::Explanation explanation = graph::explain(*view, *channel, update->arch, update->from, update->to);
  if (call.audience == public_audience && !api.options_.show_sources)
    explanation = for_anonymous(std::move(explanation));
  return send_json(api, explanation.to_json(), call);
}

http::Response Api::Answers::updates(const Api& api, const Call& call) {
  const auto channel = call.channel();
  if (!channel) return refuse(api, channel.error());
  const auto arch = call.arch();
  if (!arch) return refuse(api, arch.error());
  const auto release = call.version("release", *arch);
  if (!release) return refuse(api, release.error());
  const std::string_view direction = call.query.find("direction").value_or("from");
  if (direction != "from" && direction != "to") {
    return refuse(
        api, {400, "invalid_params",
              "invalid client parameters: direction '" + printable(direction) + "' is neither from nor to"});
  }
  const graph::View* const view = call.view();
  if (view == nullptr) return not_ready(api);
  const Turn turn(api.updates_turns_);
  if (!turn) {
    http::Response busy =
        refuse(api, {429, "refused", "too many such questions are being answered; try again soon"});
    busy.headers.add("Retry-After", "1");
    return busy;
  }
  using Side = graph::UpdatesQuestion::Side;
  auto updates = graph::explain_updates(*view,
                                        {.channel = std::string(*channel),
                                         .arch = std::string(*arch),
                                         .version = std::string(*release),
                                         .side = direction == "from" ? Side::from : Side::to},
                                        {call.request.deadline, call.request.cancelled});
  if (!updates) {
    // What is too large now is so at the next try.
    const int status = updates.error().code == ErrorCode::too_large ? 400 : 503;
    return refuse(api, {status, "refused", updates.error().message});
  }
  if (call.audience == public_audience && !api.options_.show_sources)
    *updates = for_anonymous(std::move(*updates));
  return send_json(api, updates->to_json(), call);
}

http::Response Api::Answers::path(const Api& api, const Call& call) {
  const auto list = call.required("channels");
  if (!list) return refuse(api, list.error());
  std::vector<std::string> channels;
  for (const std::string_view name : split(*list, ',')) {
    if (!is_channel_name(name)) {
      return refuse(api, {400, "invalid_params",
                          "invalid client parameters: channels '" + printable(name) +
                              "' does not match regex '" + std::string(channel_pattern) + "'"});
    }
    channels.emplace_back(name);
  }
  const auto update = call.update();
  if (!update) return refuse(api, update.error());
  const graph::View* const view = call.view();
  if (view == nullptr) return not_ready(api);
  graph::PathQuestion question{.channels = std::move(channels),
                               .arch = std::string(update->arch),
                               .from = std::string(update->from),
                               .to = std::string(update->to)};
  if (const auto avoid = call.query.find("avoid"); avoid && !avoid->empty()) {
    for (const std::string_view name : split(*avoid, ',')) {
      if (!name.empty()) question.avoid.emplace_back(name);
    }
  }
  return send_json(api, graph::find_paths(*view, question).to_json(), call);
}

http::Response Api::Answers::stranded(const Api& api, const Call& call) {
  const auto channel = call.channel();
  if (!channel) return refuse(api, channel.error());
  const auto arch = call.arch();
  if (!arch) return refuse(api, arch.error());
  const graph::View* const view = call.view();
  if (view == nullptr) return not_ready(api);
  return send_json(api, graph::find_stranded(view->channel_graph(*channel, *arch)).to_json(), call);
}

http::Response Api::Answers::changes(const Api& api, const Call& call) {
  const auto channel = call.channel();
  if (!channel) return refuse(api, channel.error());
  const auto arch = call.arch();
  if (!arch) return refuse(api, arch.error());
  const auto since = call.required("since");
  if (!since) return refuse(api, since.error());
  if (call.responses == nullptr) return not_ready(api);
  const GraphResponse& graph = call.responses->find(*arch, *channel, call.audience);
  const std::string_view hash = hash_of_etag(*since);
  json::Object answer{{"since", etag_of(hash, false)}, {"now", etag_of(graph.document->hash(), false)}};
  if (hash == graph.document->hash()) {
    answer["changes"] = graph::Changes{}.to_json();
    return send_json(api, answer, call);
  }
  const PastGraphs& past = call.responses->find_past(*arch, *channel, call.audience);
  const auto before = std::ranges::find(*past, hash, &PastGraph::hash);
  if (before == past->end()) {
    return refuse(api, {404, "does_not_exist",
                        "no build with this ETag is known for this channel and architecture; the last " +
                            std::to_string(builds_kept) + " are kept"});
  }
  const auto body = http::gunzip(*before->gzip);
  if (!body) return refuse(api, {500, "internal", body.error().message});
  answer["changes"] = graph::find_changes(parse_graph(*body), parse_graph(*graph.document->body())).to_json();
  return send_json(api, answer, call);
}

http::Response Api::Answers::signature(const Api& api, const Call& call) {
  const Refusal unknown{404, "does_not_exist", "no such signature"};
  const std::string folder = api.options_.path_prefix + "/signatures/";
  const auto name = SignatureName::parse(call.request.path.substr(folder.size()));
  if (!name) return refuse(api, unknown);
  const graph::View* const view = call.view();
  if (view == nullptr) return not_ready(api);
  if (digest_hidden(name->digest(), *view)) return refuse(api, unknown);
  auto bytes = api.options_.signatures_directory.empty()
                   ? find_signature(*name, *call.built->inputs->files)
                   : read_signature(*name, api.options_.signatures_directory);
  if (!bytes) return refuse(api, unknown);
  if (call.headers.accept_encoding && !http::accepts_identity(*call.headers.accept_encoding))
    return refuse(api, unacceptable_coding);
  http::Response response = http::Response::text(200, std::move(*bytes), "application/octet-stream");
  add_caching(response, {api.options_.max_age, !call.responses->rules->empty()}, call.audience);
  return response;
}

}  // namespace fairway::updateservice
