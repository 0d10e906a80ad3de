// The API server's objects: reading and writing them, untyped. `kube/client/api.h` puts types around it.
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

namespace fairway::kube {

struct ClientSettings {
  std::string user_agent = "fairway";
  /// How often a request is sent again that was answered with Retry-After (429, 5xx).
  int max_retries = 10;
  std::size_t max_reply_bytes = std::size_t{256} << 20;
  std::size_t max_idle_connections = 16;
  /// Told what the server warns of (`Warning: 299`); the default writes it to the log.
  std::function<void(std::string_view)> on_warning;
  /// For waiting between retries, and for the age of credentials.
  Clock* clock = nullptr;
  /// Counts requests (`rest_client_requests_total`, client-go's name); it outlives the client.
  metrics::Registry* registry = nullptr;
};

/// One request to an API server.
struct ApiRequest {
  std::string method = "GET";
  /// "/apis/apps/v1/namespaces/a/deployments": below the server's URL.
  std::string path;
  /// Encoded, without "?".
  std::string query;
  std::string content_type;
  std::string body;
  std::string accept = "application/json";
  /// Where the body of a reply 2xx goes, piece by piece as it comes, instead of being collected; an error
  /// ends the request with that error. What has come is not taken back where the rest does not come.
  std::function<Result<void>(std::string_view piece)> on_body;
  /// More body than this is an error; nothing: the settings' `max_reply_bytes`.
  std::optional<std::size_t> max_body_bytes;
};

/// Safe from all threads. Keeps connections alive.
///
/// Retries, as client-go has them: a reply 429 or 5xx with Retry-After is waited out and the request sent
/// again, up to `max_retries` times and never beyond the call's timeout; a reply 401 is answered once with
/// new credentials where there may be some. Conflicts are the caller's: `retry_on_conflict`.
///
/// `namespace_name` is empty for kinds of the whole cluster, and, in lists, for all namespaces.
/// `subresource` is "status", "scale" or another one that the kind has; empty for the object itself.
class Client {
 public:
  /// Errors: certificates or files that cannot be read, a server's URL that is none.
  static Result<std::shared_ptr<Client>> create(ClientConfig config, ClientSettings settings = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// The same client, with its connections, which writes only while `may_write` has no error: otherwise each
  /// request but GET and HEAD ends with that error, before it is sent, or sent again.
  std::shared_ptr<Client> writing_while(std::function<Result<void>()> may_write) const;

  const ClientConfig& config() const;
  Clock& clock() const;

  ApiResult<k8s::Dynamic> get(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                              std::string_view subresource = {}, const Limits& limits = {});
  /// One page, or all.
  ApiResult<ObjectList> list(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                             const ListOptions& options = {}, const Limits& limits = {});
  /// The same with the objects handed on as they come: neither the list's text nor all of its objects are
  /// held. What is returned has no items. An error of `on_object` ends it. Objects may have been handed on
  /// before an error.
  ApiResult<ObjectList> list_each(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                                  const ListOptions& options,
                                  const std::function<Result<void>(k8s::Dynamic object)>& on_object,
                                  const Limits& limits = {});
  /// Hands on what happens until the server ends the watch, which is no error. Give a `limits.timeout` that
  /// lies beyond `options.timeout`. Errors: an ERROR event (its Status is there; `is_expired()` means: list
  /// anew), a stream that is none, and all that other calls have.
  ApiResult<void> watch(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                        const WatchOptions& options, const OnWatchEvent& on_event, const Limits& limits);
  /// Into the object's own namespace.
  ApiResult<k8s::Dynamic> create(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                 const WriteOptions& options = {}, const Limits& limits = {});
  /// A conflict where the object has a resourceVersion that is not the newest.
  ApiResult<k8s::Dynamic> replace(const k8s::GroupVersionResource& resource, const k8s::Dynamic& object,
                                  std::string_view subresource = {}, const WriteOptions& options = {},
                                  const Limits& limits = {});
  ApiResult<k8s::Dynamic> patch(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                PatchType type, const json::Value& patch, std::string_view subresource = {},
                                const WriteOptions& options = {}, const Limits& limits = {});
  /// Server-side apply of a document (see `k8s::apply_document`). A conflict names the fields and their
  /// owners.
  ApiResult<k8s::Dynamic> apply(const k8s::GroupVersionResource& resource, const k8s::Dynamic& document,
                                const ApplyOptions& options, std::string_view subresource = {},
                                const Limits& limits = {});
  /// The server answers with a Status, or with the object where it is still there (finalizers, grace period).
  ApiResult<k8s::Dynamic> remove(const k8s::GroupVersionResource& resource, const k8s::Key& key,
                                 const DeleteOptions& options = {}, const Limits& limits = {});
  /// All that the selectors of `which` mean, in one request.
  ApiResult<void> remove_all(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                             const ListOptions& which, const DeleteOptions& options = {},
                             const Limits& limits = {});

  /// Any other request. A reply of 400 and above is an error.
  ApiResult<http::Headers> send(const ApiRequest& request, std::string& body, const Limits& limits = {});

 private:
  struct Implementation;
  explicit Client(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::kube
