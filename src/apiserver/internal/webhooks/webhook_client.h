// SPDX-License-Identifier: Apache-2.0

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
  /// Limits by the machine's clock. The remaining time is sent to the webhook, in whole seconds.
  Limits limits;
  /// Largest reply; a larger one is an error.
  std::size_t most_bytes = 0;
};

/// Posts documents to one webhook: to its URL, or to an address of its Service. If there is a `caBundle`, it
/// alone is trusted. Safe from all threads.
class WebhookClient {
 public:
  /// Makes a client. `owner` is the webhook's owner, for errors; `storage`, which outlives this, has the
  /// Service.
  WebhookClient(const k8s::View& client_config, std::string_view owner, storage::Storage& storage);

  /// Posts a document and returns the body of the reply. Errors are worded for the end of kube-apiserver's
  /// messages: `deadline_exceeded` if it has not replied in time, `cancelled`, `too_large`; others if it
  /// could not be reached, or the reply is no success.
  Result<std::string> post(std::string document, const PostLimits& limits) const;
  /// Returns the name of a call with this timeout in errors: `Post "https://..."`.
  std::string describe(std::chrono::nanoseconds timeout) const;

 private:
  struct Target {
    http::Url url;
    /// The URL as errors name it.
    std::string shown;
  };
  Result<Target> find_target(std::chrono::nanoseconds timeout) const;

  storage::Storage& storage_;
  k8s::Dynamic config_;
  Result<std::unique_ptr<http::Client>> client_;
};

}  // namespace fairway::apiserver::webhooks
