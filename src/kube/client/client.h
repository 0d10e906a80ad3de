// SPDX-License-Identifier: Apache-2.0

// The client of an API server, untyped. `kube/client/api.h` is the typed wrapper.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "http/message.h"
#include "k8s/object.h"
#include "kube/client/api_error.h"
#include "kube/client/client_config.h"
#include "kube/client/options.h"
#include "kube/client/watch.h"
#include "kube/client/write_hooks.h"

namespace fairway::kube {

/// A limit on the requests of a client, as client-go's QPS and Burst: a token bucket.
struct RateLimit {
  /// Rate of requests a second, above 0.
  double qps = 50;
  /// Number of requests at once, at least 1.
  int burst = 100;
};

struct ClientSettings {
  std::string user_agent = "fairway";
  /// Maximum retries of a request after replies with Retry-After (429, 5xx).
  int max_retries = 10;
  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_idle_connections = 16;
  /// All calls and watches share a connection, if the server speaks HTTP/2 (`http::ClientOptions::http2`).
  bool http2 = false;
  /// Limit on requests, retries among them; a watch counts once. The delay counts against a call's limits.
  /// Off by default: servers limit requests themselves (priority and fairness).
  std::optional<RateLimit> rate_limit = {};
  /// Called with warnings of the server (`Warning: 299`); the default logs them.
  std::function<void(std::string_view)> on_warning = {};
  /// Clock for deadlines, waits between retries and the expiry of credentials; null: the machine's.
  Clock* clock = nullptr;
  /// Registry that counts requests (`rest_client_requests_total`) and delays by the rate limit
  /// (`rest_client_rate_limiter_duration_seconds`), under client-go's names; must outlive the client.
  metrics::Registry* registry = nullptr;
};

/// One request to an API server.
struct ApiRequest {
  std::string method = "GET";
  /// Path relative to the server's URL: "/apis/apps/v1/namespaces/a/deployments".
  std::string path = {};
  /// Encoded query, without "?".
  std::string query = {};
  std::string content_type = {};
  std::string body = {};
  std::string accept = "application/json";
  /// Receives the body of a 2xx reply in chunks, instead of collecting it; an error ends the request with
  /// that error. If the connection breaks, the chunks before it have already been delivered.
  std::function<Result<void>(std::string_view piece)> on_body = {};
  /// Maximum size of the body; a larger one is an error. std::nullopt: the settings' `max_reply_bytes`.
  std::optional<std::size_t> max_body_bytes = {};
};

/// A client of one API server. Safe from all threads. Pools keep-alive connections.
///
/// Retries as in client-go: after a 429 or 5xx reply with Retry-After the request is retried after that
/// delay, up to `max_retries` times and within the call's timeout; after a 401 it is retried once, if
/// credentials can be refreshed. Conflicts are up to the caller: `retry_on_conflict`.
///
/// `namespace_name` is empty for cluster-scoped kinds and, in lists, for all namespaces. `subresource` is
/// "status", "scale" or another one of the kind; empty for the object itself.
class Client {
 public:
  /// Creates a client. Errors: certificates or files that cannot be read, an invalid server URL or rate
  /// limit.
  static Result<std::shared_ptr<Client>> create(ClientConfig config, ClientSettings settings = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Returns a client that shares this one's connections, and whose writes call these hooks.
  std::shared_ptr<Client> with_hooks(WriteHooks hooks) const;
  /// Returns a client that shares this one's connections, and whose requests the rate limit neither delays
  /// nor counts: for a few requests that must be in time, such as renewals of a lease.
  std::shared_ptr<Client> without_rate_limit() const;

  const ClientConfig& config() const;
  Clock& clock() const;

  ApiResult<k8s::Dynamic> get(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                              std::string_view subresource = {}, const Limits& limits = {});
  /// Returns one page, or the whole list if `options.limit` is 0.
  ApiResult<ObjectList> list(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                             const ListOptions& options = {}, const Limits& limits = {},
                             Content content = Content::objects);
  /// Lists as `list` does, but streamed: objects are delivered as they arrive, and neither the body nor all
  /// objects are held in memory. The returned list has no items. An error of `on_object` ends the call.
  /// Objects may have been delivered before an error.
  ApiResult<ObjectList> list_each(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                                  const ListOptions& options,
                                  const std::function<Result<void>(k8s::Dynamic object)>& on_object,
                                  const Limits& limits = {}, Content content = Content::objects);
  /// Delivers events until the server ends the watch, which is not an error. The deadline of `limits` must be
  /// later than `options.timeout` from now. Errors: an ERROR event (with its Status; `is_expired()` means:
  /// relist), a malformed stream, and those of other calls.
  ApiResult<void> watch(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                        const WatchOptions& options, const OnWatchEvent& on_event, const Limits& limits,
                        Content content = Content::objects);
  /// Creates the object in its namespace.
  ApiResult<k8s::Dynamic> create(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                 const WriteOptions& options = {}, const Limits& limits = {});
  /// Replaces the object; a conflict if its resourceVersion is not the latest.
  ApiResult<k8s::Dynamic> replace(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                  std::string_view subresource = {}, const WriteOptions& options = {},
                                  const Limits& limits = {});
  ApiResult<k8s::Dynamic> patch(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                PatchType type, const json::Value& patch, std::string_view subresource = {},
                                const WriteOptions& options = {}, const Limits& limits = {});
  /// Applies a document (server-side apply; see `k8s::apply_document`). A conflict names the fields and their
  /// managers.
  ApiResult<k8s::Dynamic> apply(const k8s::GroupVersionResource& resource, const k8s::Dynamic& document,
                                const ApplyOptions& options, std::string_view subresource = {},
                                const Limits& limits = {});
  /// Deletes the object. Returns a Status, or the object if it still exists (finalizers, grace period).
  ApiResult<k8s::Dynamic> remove(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                 const DeleteOptions& options = {}, const Limits& limits = {});
  /// Deletes all objects that the selectors of `which` match, in one request (deletecollection).
  ApiResult<void> remove_all(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                             const ListOptions& which, const DeleteOptions& options = {},
                             const Limits& limits = {});

  /// Sends any other request. A reply with status 400 or above is an error.
  ApiResult<http::Headers> send(const ApiRequest& request, std::string& body, const Limits& limits = {});

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::kube
