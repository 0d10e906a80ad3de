// Calls of a webhook, as its `clientConfig` says where it is.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "apiserver/internal/storage/storage.h"
#include "base/limits.h"
#include "base/result.h"
#include "http/client.h"
#include "k8s/object.h"

namespace fairway::apiserver::webhooks {

struct PostLimits {
  /// By the machine's clock. What is left of it is told to the webhook, in whole seconds.
  Limits limits;
  /// A larger answer is an error.
  std::size_t most_bytes = 0;
};

/// Posts documents to one webhook: to its URL, or to an address of its Service. The CA is that of `caBundle`
/// alone, where there is one. Safe from all threads.
class WebhookClient {
 public:
  /// `owner` is whose webhook it is, for errors; `storage`, which outlives this, has the Service.
  WebhookClient(const k8s::View& client_config, std::string_view owner, storage::Storage& storage);

  /// The body of the answer. Errors end kube-apiserver's messages: `deadline_exceeded` where it has not
  /// answered in time, `cancelled`, `too_large`; others for what could not be reached, and for answers
  /// that are no success.
  Result<std::string> post(std::string document, const PostLimits& limits) const;
  /// How errors name a call that may take so long: `Post "https://..."`.
  std::string describe(std::chrono::nanoseconds timeout) const;

 private:
  struct Target {
    http::Url url;
    /// As errors name it.
    std::string shown;
  };
  Result<Target> find_target(std::chrono::nanoseconds timeout) const;

  storage::Storage& storage_;
  k8s::Dynamic config_;
  Result<std::unique_ptr<http::Client>> client_;
};

}  // namespace fairway::apiserver::webhooks
