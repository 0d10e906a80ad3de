// SPDX-License-Identifier: Apache-2.0

// Releases and edges of another update service: one channel and one architecture of it.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/digest.h"
#include "http/access.h"
#include "sources/internal/fetch/source_kinds.h"
#include "upstream/read.h"
#include "upstream/update_service.h"

namespace fairway::sources {

namespace {

/// Returns the last value of a key, as today's service reads its queries.
std::string query_value(const std::string& query, std::string_view key) {
  std::string value;
  for (auto& [name, text] : http::parse_query(query)) {
    if (name == key) value = std::move(text);
  }
  return value;
}

class UpstreamReleases final : public ReleaseSource {
 public:
  UpstreamReleases(std::string_view url, upstream::UpdateService service, upstream::GraphQuery query)
      : identity_(sha256_hex(url)),
        service_(std::move(service)),
        query_(std::move(query)),
        arch_(query_.arch.empty() ? "amd64" : query_.arch),
        name_(service_.name(query_)) {}

  std::string name() const override { return name_; }
  std::string identity() const override { return identity_; }
  std::vector<std::string> channels() const override { return {query_.channel}; }

  Result<FetchedReleases> fetch(const FetchContext& context) override {
    const auto body = service_.fetch_graph(query_, etag_, context.stop);
    if (!body) return fail(body.error());
    if (!*body) return last_;
    if (auto taken = take((*body)->text); !taken) return fail(taken.error());
    etag_ = (*body)->etag;
    return last_;
  }

 private:
  Result<void> take(const std::string& text) {
    std::string revision = sha256_hex(text);
    if (revision == last_.revision) return {};
    auto read = upstream::read_graph(text, name_, query_.channel, arch_);
    if (!read) return fail(read.error());
    FetchedReleases next;
    next.revision = std::move(revision);
    next.problems = std::move(read->problems);
    for (graph::Problem& problem : next.problems) {
      // Who may not see the channel is not to learn of it from what is wrong with it.
      if (std::ranges::find(problem.channels, query_.channel) == problem.channels.end()) {
        problem.channels.push_back(query_.channel);
      }
    }
    next.upstreams.push_back(
        {.source = name_, .channel = query_.channel, .arch = arch_, .graph = std::move(read->graph)});
    last_ = std::move(next);
    return {};
  }

  std::string identity_;
  upstream::UpdateService service_;
  upstream::GraphQuery query_;
  std::string arch_, name_;
  std::string etag_;
  FetchedReleases last_;
};

}  // namespace

Result<std::unique_ptr<ReleaseSource>> make_upstream_source(std::string_view url, const Options& options) {
  const auto access = http::read_access(url);
  if (!access) return fail(access.error());
  upstream::GraphQuery query{.channel = query_value(access->url.query, "channel"),
                             .arch = query_value(access->url.query, "arch")};
  if (query.channel.empty()) {
    return fail(ErrorCode::invalid,
                "the update service " + access->url.to_string() +
                    " is asked for one channel: end the URL in ?channel=CHANNEL&arch=ARCH (and name "
                    "the source once for each channel that is wanted)");
  }
  // --scrape-deadline is about whole registries; one answer takes no longer than upstream's own limit.
  upstream::Options limits{.ca_files = options.access.ca_files, .clock = options.clock};
  limits.deadline = std::min(limits.deadline, options.deadline);
  auto service = upstream::UpdateService::create(url, limits);
  if (!service) return fail(service.error());
  return std::make_unique<UpstreamReleases>(url, std::move(*service), std::move(query));
}

}  // namespace fairway::sources
