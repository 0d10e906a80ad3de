// SPDX-License-Identifier: Apache-2.0

#include <cstddef>
#include <utility>

#include "base/digest.h"
#include "base/redact.h"
#include "http/access.h"
#include "sources/internal/fetch/directory.h"
#include "sources/internal/fetch/http_client.h"
#include "sources/internal/fetch/source_kinds.h"
#include "sources/internal/read/graph_data_archive.h"

namespace fairway::sources {

namespace {

constexpr std::size_t max_tarball_bytes = std::size_t{256} << 20;

class TarballSource final : public GraphDataSource {
 public:
  TarballSource(std::string_view url, http::Access access, std::chrono::seconds deadline, Clock& clock,
                std::unique_ptr<http::Client> client)
      : identity_(sha256_hex(url)),
        access_(std::move(access)),
        name_(redact_urls(access_.url.to_string())),
        deadline_(deadline),
        clock_(clock),
        client_(std::move(client)) {}

  std::string name() const override { return name_; }
  std::string identity() const override { return identity_; }

  Result<FetchedGraphData> fetch(const FetchContext& context) override {
    GraphDataArchive archive;
    std::size_t received = 0;
    http::Call call;
    call.url = access_.url;
    if (!access_.authorization.empty()) call.headers.set("Authorization", access_.authorization);
    if (!etag_.empty()) call.headers.set("If-None-Match", etag_);
    if (!last_modified_.empty()) call.headers.set("If-Modified-Since", last_modified_);
    call.limits = Limits::within(clock_, deadline_, context.stop);
    call.max_body_bytes = max_tarball_bytes;
    // Forges answer with a redirect to where their archives lie.
    call.max_redirects = 5;
    call.on_body = [&](std::string_view piece) {
      received += piece.size();
      if (context.progress) context.progress("bytes of " + name_, received, 0);
      return archive.push(piece);
    };
    const auto reply = client_->send(call);
    if (!reply) return fail(reply.error());
    if (reply->status == 304 && !last_.revision.empty()) return last_;
    if (reply->status != 200) return fail(http::refused(call, *reply));
    auto files = archive.finish();
    if (!files) return fail(files.error().within("reading the tarball " + name_));
    last_.revision = content_revision(*files);
    last_.files = std::move(*files);
    etag_ = reply->headers.find("ETag").value_or("");
    last_modified_ = reply->headers.find("Last-Modified").value_or("");
    return last_;
  }

  bool watch(std::function<void()> /*changed*/, std::stop_token /*stop*/) override { return false; }

 private:
  std::string identity_;
  http::Access access_;
  std::string name_;
  std::chrono::seconds deadline_;
  Clock& clock_;
  std::unique_ptr<http::Client> client_;
  std::string etag_, last_modified_;
  FetchedGraphData last_;
};

}  // namespace

Result<std::unique_ptr<GraphDataSource>> make_tarball_source(std::string_view url, const Options& options) {
  auto access = http::read_access(url);
  if (!access) return fail(access.error());
  auto client = make_http_client(options);
  if (!client) return fail(client.error());
  return std::make_unique<TarballSource>(url, std::move(*access), options.deadline, *options.clock,
                                         std::move(*client));
}

}  // namespace fairway::sources
