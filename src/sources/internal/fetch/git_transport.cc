// SPDX-License-Identifier: Apache-2.0

#include "sources/internal/fetch/git_transport.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/text.h"

namespace fairway::sources {

namespace {

constexpr std::string_view refs_path = "/info/refs";
constexpr std::string_view refs_query = "service=git-upload-pack";
constexpr std::size_t max_refs_bytes = std::size_t{64} << 20;
constexpr std::size_t max_pack_bytes = std::size_t{512} << 20;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// Makes a temporary file without a name.
Result<File> make_spool(const std::string& folder) {
  std::string name = folder + "/spool-XXXXXX";
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0)
    return fail(ErrorCode::unavailable, "cannot write to " + folder + "; is it full, or read-only?");
  unlink(name.c_str());
  File file(fdopen(descriptor, "w+b"));
  if (!file) {
    close(descriptor);
    return fail(ErrorCode::unavailable, "cannot write to " + folder);
  }
  return file;
}

}  // namespace

/// One request and its reply: the request is collected until the first read.
struct GitTransport::Exchange : git_smart_subtransport_stream {
  GitTransport* transport = nullptr;
  bool asks_for_refs = false;
  bool sent = false;
  std::string request;
  File reply;

  static Exchange* of(git_smart_subtransport_stream* stream) { return static_cast<Exchange*>(stream); }

  static int read_reply(git_smart_subtransport_stream* stream, char* buffer, std::size_t size,
                        std::size_t* count) {
    Exchange* self = of(stream);
    *count = 0;
    if (!self->sent) {
      self->sent = true;
      if (auto done = self->transport->run(*self); !done) {
        git_error_set_str(GIT_ERROR_NET, done.error().message.c_str());
        self->transport->error_ = std::move(done.error());
        return -1;
      }
    }
    *count = std::fread(buffer, 1, size, self->reply.get());
    return std::ferror(self->reply.get()) != 0 ? -1 : 0;
  }
  static int write_request(git_smart_subtransport_stream* stream, const char* bytes, std::size_t size) {
    of(stream)->request.append(bytes, size);
    return 0;
  }
  static void destroy(git_smart_subtransport_stream* stream) { delete of(stream); }
};

struct GitTransport::Subtransport : git_smart_subtransport {
  GitTransport* transport = nullptr;

  static int start(git_smart_subtransport_stream** out, git_smart_subtransport* self, const char* /*url*/,
                   git_smart_service_t service) {
    if (service != GIT_SERVICE_UPLOADPACK_LS && service != GIT_SERVICE_UPLOADPACK) {
      git_error_set_str(GIT_ERROR_NET, "this transport only fetches");
      return -1;
    }
    auto exchange = std::make_unique<Exchange>();
    exchange->subtransport = self;
    exchange->read = Exchange::read_reply;
    exchange->write = Exchange::write_request;
    exchange->free = Exchange::destroy;
    exchange->transport = static_cast<Subtransport*>(self)->transport;
    exchange->asks_for_refs = service == GIT_SERVICE_UPLOADPACK_LS;
    *out = exchange.release();
    return 0;
  }
  static int finish(git_smart_subtransport* /*self*/) { return 0; }
  static void destroy(git_smart_subtransport* self) { delete static_cast<Subtransport*>(self); }

  static int make(git_smart_subtransport** out, git_transport* /*owner*/, void* transport) {
    auto made = std::make_unique<Subtransport>();
    made->action = start;
    made->close = finish;
    made->free = destroy;
    made->transport = static_cast<GitTransport*>(transport);
    *out = made.release();
    return 0;
  }
};

GitTransport::GitTransport(http::Client& client, const http::Access& repository, std::string spool_folder,
                           const Limits& limits, const Clock& clock)
    : client_(client),
      base_(repository.url),
      authorization_(repository.authorization),
      origin_(base_.scheme + "://" + base_.authority()),
      spool_folder_(std::move(spool_folder)),
      limits_(limits),
      clock_(clock) {
  while (base_.path.ends_with('/')) base_.path.pop_back();
  definition_ = {Subtransport::make, 1, this};
}

int GitTransport::make(git_transport** out, git_remote* owner, void* payload) {
  return git_transport_smart(out, owner, &static_cast<GitTransport*>(payload)->definition_);
}

bool GitTransport::deadline_passed() const {
  return limits_.expired(clock_);
}

Result<void> GitTransport::run(Exchange& exchange) {
  auto spool = make_spool(spool_folder_);
  if (!spool) return fail(spool.error());
  exchange.reply = std::move(*spool);

  http::Call call;
  call.url = base_;
  call.limits = limits_;
  if (!authorization_.empty() && base_.scheme + "://" + base_.authority() == origin_) {
    call.headers.set("Authorization", authorization_);
  }
  std::string expected = "application/x-git-upload-pack-result";
  if (exchange.asks_for_refs) {
    call.url.path += refs_path;
    call.url.query = refs_query;
    // As git does: the first request may be led elsewhere, and the rest of the conversation follows it there.
    call.max_redirects = 5;
    call.max_body_bytes = max_refs_bytes;
    expected = "application/x-git-upload-pack-advertisement";
  } else {
    call.method = "POST";
    call.url.path += "/git-upload-pack";
    call.headers.set("Content-Type", "application/x-git-upload-pack-request");
    call.body = std::move(exchange.request);
    call.max_body_bytes = max_pack_bytes;
  }
  call.headers.set("Accept", expected);
  call.on_body = [&](std::string_view piece) -> Result<void> {
    if (std::fwrite(piece.data(), 1, piece.size(), exchange.reply.get()) == piece.size()) return {};
    return fail(ErrorCode::unavailable, "cannot write to " + spool_folder_ + "; is it full?");
  };

  const auto reply = client_.send(call);
  if (!reply) return fail(reply.error());
  if (reply->status != 200) return fail(http::refused(call, *reply));
  if (reply->headers.find("Content-Type").value_or("") != expected) {
    return fail(ErrorCode::invalid,
                call.method + " " + call.url.to_string() + ": the reply is " +
                    printable(reply->headers.find("Content-Type").value_or("without a type")) +
                    ", so this is no Git repository that speaks the smart protocol");
  }
  if (exchange.asks_for_refs && reply->url.path.ends_with(refs_path)) {
    base_ = reply->url;
    base_.userinfo.clear();
    base_.path.resize(base_.path.size() - refs_path.size());
    base_.query.clear();
    base_.fragment.clear();
  }
  if (std::fflush(exchange.reply.get()) != 0 || std::fseek(exchange.reply.get(), 0, SEEK_SET) != 0) {
    return fail(ErrorCode::unavailable, "cannot write to " + spool_folder_ + "; is it full?");
  }
  return {};
}

}  // namespace fairway::sources
