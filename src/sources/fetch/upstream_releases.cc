#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "base/text.h"
#include "graph/update_graph.h"
#include "http/compress.h"
#include "sources/fetch/internal/http_access.h"
#include "sources/fetch/internal/source_kinds.h"

namespace fairway::sources {

namespace {

constexpr std::size_t max_graph_bytes = std::size_t{64} << 20;
// An answer that is made once a build takes no longer than this; --scrape-deadline is about whole registries.
constexpr std::chrono::seconds longest_wait{60};

/// The last value of a key, as today's service reads its queries.
std::string query_value(const std::string& query, std::string_view key) {
  std::string found;
  for (auto& [name, value] : http::parse_query(query)) {
    if (name == key) found = std::move(value);
  }
  return found;
}

/// Whether an answer without readable nodes means that: an empty list is how services answer for channels
/// that they do not know. Anything else is no graph, and must not take the place of the last good one.
bool says_that_it_has_none(const std::string& text) {
  const auto document = json::parse(text);
  const json::Value* nodes = document ? json::find(*document, "nodes") : nullptr;
  return nodes != nullptr && nodes->is_array() && nodes->as_array().empty();
}

class UpstreamSource final : public ReleaseSource {
 public:
  UpstreamSource(HttpAccess access, std::string channel, std::string arch, std::chrono::seconds deadline,
                 std::unique_ptr<http::Client> client)
      : access_(std::move(access)),
        name_(access_.url.to_string()),
        channel_(std::move(channel)),
        arch_(std::move(arch)),
        deadline_(std::min(deadline, longest_wait)),
        client_(std::move(client)) {}

  std::string name() const override { return name_; }
  std::vector<std::string> channels() const override { return {channel_}; }

  Result<FetchedReleases> fetch(const FetchContext& context) override {
    http::Call call;
    call.url = access_.url;
    call.headers = {{"Accept", "application/vnd.redhat.cincinnati.v1+json, application/json;q=0.9"},
                    {"Accept-Encoding", "gzip"}};
    if (!access_.authorization.empty()) call.headers.set("Authorization", access_.authorization);
    if (!etag_.empty()) call.headers.set("If-None-Match", etag_);
    call.deadline = Clock::system().steady() + deadline_;
    call.max_body_bytes = max_graph_bytes;
    call.max_redirects = 5;
    call.stop = context.stop;
    auto reply = client_->send(call);
    if (!reply) return fail(reply.error());
    if (reply->status == 304 && !etag_.empty()) return last_;
    if (reply->status != 200) return fail(refused(call, *reply));
    auto text = plain_text(*reply);
    if (!text) return fail(text.error());
    if (auto taken = take(*text); !taken) return fail(taken.error());
    etag_ = reply->headers.find("ETag").value_or("");
    return last_;
  }

 private:
  Result<std::string> plain_text(http::Reply& reply) const {
    const std::string_view encoding = reply.headers.find("Content-Encoding").value_or("identity");
    if (equals_ignoring_case(encoding, "identity")) return std::move(reply.body);
    if (!equals_ignoring_case(encoding, "gzip")) {
      return fail(ErrorCode::unsupported, "reading " + name_ + ": the answer is encoded as " +
                                              printable(encoding) + ", which was not asked for");
    }
    auto text = http::gunzip(reply.body, max_graph_bytes);
    if (!text) return fail(text.error().within("reading " + name_));
    return text;
  }

  Result<void> take(const std::string& text) {
    std::string revision = sha256_hex(text);
    if (revision == last_.revision) return {};
    auto read = graph::read_cincinnati_json(text, name_);
    if (!read) return fail(read.error());
    if (read->graph.nodes.empty() && !says_that_it_has_none(text)) {
      return fail(ErrorCode::invalid,
                  "reading the update graph from " + name_ +
                      ": the answer has no list of `nodes`, or none in it that can be read: "
                      "this is no update graph");
    }
    FetchedReleases next;
    next.revision = std::move(revision);
    next.problems = std::move(read->problems);
    // Whoever may not see the channel is not to learn of it from what is wrong with it.
    for (graph::Problem& problem : next.problems) problem.channels.push_back(channel_);
    if (read->graph.nodes.empty()) {
      next.problems.push_back({.kind = graph::problem_kind::upstream,
                               .place = {.file = name_},
                               .message = "the update service at " + name_ + " knows no release in channel " +
                                          channel_ + " for " + arch_ +
                                          "; so it adds nothing. Are both spelled right?",
                               .channels = {channel_}});
    }
    next.upstreams.push_back(
        {.source = name_, .channel = channel_, .arch = arch_, .graph = std::move(read->graph)});
    last_ = std::move(next);
    return {};
  }

  HttpAccess access_;
  std::string name_, channel_, arch_;
  std::chrono::seconds deadline_;
  std::unique_ptr<http::Client> client_;
  std::string etag_;
  FetchedReleases last_;
};

}  // namespace

Result<std::unique_ptr<ReleaseSource>> make_upstream_source(std::string_view url, const Options& options) {
  auto access = read_http_access(url);
  if (!access) return fail(access.error());
  const std::string name = access->url.to_string();
  std::string channel = query_value(access->url.query, "channel");
  if (channel.empty()) {
    return fail(ErrorCode::invalid,
                "the update service " + name +
                    " is asked for one channel: end the URL in ?channel=CHANNEL&arch=ARCH (and name "
                    "the source once for each channel that is wanted)");
  }
  std::string arch = query_value(access->url.query, "arch");
  if (arch.empty()) arch = "amd64";
  auto client = make_http_client(options);
  if (!client) return fail(client.error());
  return std::make_unique<UpstreamSource>(std::move(*access), std::move(channel), std::move(arch),
                                          options.deadline, std::move(*client));
}

}  // namespace fairway::sources
