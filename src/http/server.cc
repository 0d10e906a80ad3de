// SPDX-License-Identifier: Apache-2.0

#include "http/server.h"

#include <sys/resource.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "base/file.h"
#include "base/log.h"
#include "http/internal/http2/server_session.h"
#include "http/internal/server/listen.h"
#include "http/internal/server/worker.h"
#include "http/internal/tls/pem_files.h"

namespace fairway::http {
namespace {

/// Descriptors left to files, connections that the process makes itself, and servers beside this one for few
/// clients (status, replicas): each server computes its own limits.
constexpr std::size_t spare_descriptors = 512;
constexpr std::size_t most_pem_bytes = 1 << 20;

/// Reads the files of a TLS context.
Result<TlsServerFiles> read_files(const TlsServerOptions& options) {
  TlsServerFiles files;
  files.certificate_name = options.certificate_file;
  files.key_name = options.key_file;
  files.client_ca_name = options.client_ca_file;
  files.require_client_certificate = options.require_client_certificate;
  if (options.certificate_file.empty()) {
    files.certificate = options.certificate;
    files.key = options.key;
    files.certificate_name = files.key_name = "memory";
  } else {
    auto pair = read_pem_pair(options.certificate_file, options.key_file, "TLS");
    if (!pair) return fail(pair.error());
    files.certificate = std::move(pair->certificate);
    files.key = std::move(pair->key);
  }
  if (!options.client_ca.empty()) {
    files.client_ca = options.client_ca;
    files.client_ca_name = "memory";
  } else if (!options.client_ca_file.empty()) {
    auto ca = read_file(options.client_ca_file, most_pem_bytes);
    if (!ca) return fail(ca.error().within("loading the CAs of clients"));
    files.client_ca = std::move(*ca);
  }
  return files;
}

/// Returns the number of connections that the process can have, after raising its limit on descriptors as far
/// as it may.
std::size_t possible_connections(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur < wanted + spare_descriptors && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, wanted + spare_descriptors);
    if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  const std::size_t spare = std::min<std::size_t>(spare_descriptors, limit.rlim_cur / 2);
  const std::size_t possible = std::min<std::size_t>(wanted, limit.rlim_cur - spare);
  if (possible < wanted) {
    log::debug("the limit on open files allows fewer connections than configured",
               {{"configured", wanted}, {"possible", possible}});
  }
  return possible;
}

/// Returns the number of incomplete requests that one address may have: a quarter of the connections, and no
/// more than fit into half of the memory of such requests.
std::size_t unfinished_share(const ServerOptions& options, std::size_t connections,
                             std::size_t request_bytes) {
  if (options.max_unfinished_bytes == 0) return connections / 4;
  const std::size_t each = options.tls ? std::max(request_bytes, TlsSession::handshake_bytes) : request_bytes;
  return std::min(connections / 4, options.max_unfinished_bytes / (2 * each));
}

}  // namespace

struct Server::Implementation {
  explicit Implementation(const ServerOptions& options) : state(options) {}

  ServerState state;
  std::string address;
  std::uint16_t port = 0;
  std::mutex reload_mutex;
  TlsServerOptions tls;            ///< the options last requested; guarded by `reload_mutex`
  TlsServerFiles loaded, refused;  ///< guarded by `reload_mutex`
  std::jthread reloader;

  ~Implementation() {
    if (reloader.joinable()) {
      reloader.request_stop();
      reloader.join();
    }
    for (const auto& worker : state.workers) worker->cut();
    // Handlers that run are asked to stop by `cut`, and hand their replies to loops that still stand.
    if (state.pool) state.pool->stop();
    for (const auto& worker : state.workers) worker->stop();
    state.workers.clear();
  }

  Result<void> load_tls(bool only_when_changed) {
    const std::scoped_lock lock(reload_mutex);
    return load_tls(tls, only_when_changed);
  }

  Result<void> use_certificate(std::string certificate, std::string key) {
    const std::scoped_lock lock(reload_mutex);
    TlsServerOptions changed = tls;
    changed.certificate = std::move(certificate);
    changed.key = std::move(key);
    if (auto used = load_tls(changed, false); !used) return used;
    tls = std::move(changed);
    return {};
  }

  /// Loads the files. Called with `reload_mutex`.
  Result<void> load_tls(const TlsServerOptions& options, bool only_when_changed) {
    if (options.shared_key) {
      auto context = make_server_context(options.shared_key);
      if (!context) return fail(context.error());
      const std::scoped_lock state_lock(state.mutex);
      state.tls = std::move(*context);
      return {};
    }
    auto files = read_files(options);
    if (files) files->http2 = state.options.http2 != Http2::off;
    if (!files) return fail(files.error());
    if (only_when_changed && (same(*files, loaded) || same(*files, refused))) return {};
    auto context = make_server_context(*files);
    if (!context) {
      refused = std::move(*files);
      return fail(context.error());
    }
    refused = {};
    const bool other = !same(*files, loaded);
    loaded = std::move(*files);
    const std::scoped_lock state_lock(state.mutex);
    state.tls = std::move(*context);
    if (other) ++state.tls_generation;
    return {};
  }

  static bool same(const TlsServerFiles& a, const TlsServerFiles& b) {
    return a.certificate == b.certificate && a.key == b.key && a.client_ca == b.client_ca;
  }

  void watch_tls(std::chrono::seconds every) {
    reloader = std::jthread([this, every](const std::stop_token& stop) {
      std::mutex mutex;
      std::condition_variable_any stopped;
      std::unique_lock lock(mutex);
      std::string last_error;
      while (!stopped.wait_for(lock, stop, every, [&stop] { return stop.stop_requested(); })) {
        const auto loaded_now = load_tls(true);
        const std::string error = loaded_now ? "" : loaded_now.error().message;
        if (!error.empty() && error != last_error) {
          log::error("the changed TLS files cannot be used; the old ones stay", {{"why", error}});
        }
        last_error = error;
      }
    });
  }
};

Server::Server(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(const ServerOptions& options, Router router) {
  auto implementation = std::make_unique<Implementation>(options);
  ServerState& state = implementation->state;
  state.make_session = [](Connection& connection) { return std::make_unique<Http2Session>(connection); };
  state.routes = RouterAccess::table(std::move(router));
  state.max_connections = possible_connections(options.max_connections);
  const std::size_t most = state.max_connections;
  const auto given = [most](std::size_t limit, std::size_t otherwise) {
    return std::max<std::size_t>(limit > 0 ? std::min(limit, most) : otherwise, 1);
  };
  state.max_connections_per_address = given(options.max_connections_per_address, most - most / 10);
  state.request_bytes = Intake::capacity_for({options.max_header_bytes, options.max_body_bytes, nullptr});
  state.max_unfinished_per_address =
      given(options.max_unfinished_per_address, unfinished_share(options, most, state.request_bytes));
  if (options.tls) {
    implementation->tls = *options.tls;
    if (auto loaded = implementation->load_tls(false); !loaded) return fail(loaded.error());
  }
  if (options.max_requests_per_second > 0) {
    state.rate_limit = std::make_unique<RateLimit>(options.max_requests_per_second);
  }
  const int cores = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  const int threads = options.io_threads > 0 ? options.io_threads : cores;
  auto listening = listen_on(options.listen, static_cast<std::size_t>(threads));
  if (!listening) return fail(listening.error());
  implementation->address = listening->address;
  implementation->port = listening->port;
  std::vector<FlowLevel> levels = options.levels;
  if (levels.empty()) levels.push_back({.name = "all", .queue = options.blocking_queue});
  state.pool = std::make_unique<Pool>(options.blocking_threads, levels, options.queue_timeout);
  for (FileDescriptor& socket : listening->sockets) {
    auto loop = EventLoop::create();
    if (!loop) return fail(loop.error());
    state.workers.push_back(std::make_unique<Worker>(state, std::move(*loop), std::move(socket)));
  }
  for (const auto& worker : state.workers) {
    if (auto started = worker->start(); !started) return fail(started.error());
  }
  const bool has_files =
      options.tls && !(options.tls->certificate_file.empty() && options.tls->client_ca_file.empty());
  if (has_files && options.tls->reload_every > std::chrono::seconds(0)) {
    implementation->watch_tls(options.tls->reload_every);
  }
  return std::unique_ptr<Server>(new Server(std::move(implementation)));
}

std::string Server::address() const {
  return implementation_->address;
}
std::uint16_t Server::port() const {
  return implementation_->port;
}

Result<void> Server::reload_tls() {
  if (!implementation_->state.options.tls) {
    return fail(ErrorCode::unsupported, "reloading TLS files: this server serves plain HTTP");
  }
  return implementation_->load_tls(false);
}

Result<void> Server::use_certificate(std::string certificate, std::string key) {
  const auto& tls = implementation_->state.options.tls;
  if (!tls || !tls->certificate_file.empty()) {
    return fail(ErrorCode::unsupported, std::string("changing the TLS certificate: this server ") +
                                            (tls ? "has its certificate from a file" : "serves plain HTTP"));
  }
  return implementation_->use_certificate(std::move(certificate), std::move(key));
}

void Server::drain(std::chrono::milliseconds limit, std::chrono::milliseconds quiet) {
  ServerState& state = implementation_->state;
  const auto none_open = [&state] { return state.open_connections.load() == 0; };
  std::unique_lock lock(state.mutex);
  state.retiring = true;
  if (quiet.count() > 0) state.all_closed.wait_for(lock, quiet, none_open);
  lock.unlock();
  state.draining = true;
  for (const auto& worker : state.workers) worker->drain();
  lock.lock();
  const bool done = state.all_closed.wait_for(lock, limit, none_open);
  lock.unlock();
  if (!done) {
    log::warning("requests were still in flight when the drain timeout passed",
                 {{"connections", state.open_connections.load()}});
  }
  for (const auto& worker : state.workers) worker->cut();
}

std::vector<FlowCounts> Server::flows() const {
  return implementation_->state.pool->counts();
}

ServerCounts Server::counts() const {
  const ServerState& state = implementation_->state;
  ServerCounts counts;
  for (const auto& worker : state.workers) {
    counts.requests += worker->requests();
    counts.refused += worker->refused();
    counts.shed_idle += worker->shed(Shed::idle);
    counts.shed_slow += worker->shed(Shed::slow);
    counts.shed_address += worker->shed(Shed::address);
    counts.shed_full += worker->shed(Shed::full);
    counts.shed_memory += worker->shed(Shed::memory);
  }
  counts.unfinished = state.unfinished.load();
  counts.unread_bytes = state.unread_bytes.load();
  counts.connections_open = state.open_connections.load();
  counts.streams_open = state.open_streams.load();
  counts.connections_total = state.total_connections.load();
  const auto nearly = [](std::size_t now, std::size_t limit) {
    return limit > 0 && now >= limit - limit / 10;
  };
  counts.overloaded_connections = nearly(state.places.load(), state.max_connections);
  counts.overloaded_memory = nearly(state.held_bytes(), state.options.max_unfinished_bytes);
  counts.overloaded_replies = nearly(counts.unread_bytes, state.options.max_unread_bytes);
  return counts;
}

}  // namespace fairway::http
