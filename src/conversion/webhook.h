// The webhooks of the kinds in a `Converters`: conversion, defaulting and validation on one server.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/metrics.h"
#include "conversion/converters.h"
#include "http/server.h"
#include "webhook/admission.h"

namespace fairway::conversion {

/// The paths of the webhooks; "" disables one.
struct WebhookPaths {
  std::string convert = "/convert";
  std::string defaults = "/default";    ///< a MutatingWebhookConfiguration names it
  std::string validates = "/validate";  ///< a ValidatingWebhookConfiguration names it
};

/// Default limit on a review: an API server puts all objects of a list, or of a page, into
/// one.
inline constexpr std::size_t max_review_bytes = std::size_t{64} << 20;
/// Limit on all reviews in flight; beyond it they get 503 with Retry-After.
inline constexpr std::size_t max_reviews_bytes = 4 * max_review_bytes;
/// Limit on an AdmissionReview, which has the new and the old object.
inline constexpr std::size_t max_admission_bytes = std::size_t{8} << 20;

/// Adds the webhooks to a router. The handlers run on the I/O threads: converters, defaults and validators
/// must not block. Metrics: `fairway_conversion_objects_total` for each pair of versions,
/// `fairway_conversion_reviews_total`, `fairway_conversion_review_duration_seconds`,
/// `fairway_admission_reviews_total`. `metrics` must outlive the server.
void add_webhooks(http::Router& router, const std::shared_ptr<const Converters>& converters,
                  metrics::Registry& metrics, const WebhookPaths& paths = {});

/// Adds one more admission webhook. `blocking`: the handler may block (for example on an API server) and runs
/// in the server's pool.
void add_admission(http::Router& router, const std::string& path, webhook::AdmissionHandler handler,
                   metrics::Registry& metrics, bool blocking = false);

/// The options of a server for webhooks: HTTPS with these files, large bodies, errors as a Status (by
/// `start_webhooks`).
http::ServerOptions webhook_server_options(std::string listen, http::TlsServerOptions tls);

/// Starts a server with the router, `/livez`, and `/readyz`, which returns 503 while `not_ready` returns a
/// reason. Errors: the address, the certificate.
Result<std::unique_ptr<http::Server>> start_webhooks(
    const http::ServerOptions& options, http::Router router,
    std::function<std::optional<std::string>()> not_ready = {});

/// The defaulting and the validating handler for the kinds in `converters`: objects of other kinds, deletions
/// and subresources are allowed unchanged.
webhook::AdmissionAnswer default_object(const Converters& converters,
                                        const webhook::AdmissionRequest& request);
webhook::AdmissionAnswer validate_object(const Converters& converters,
                                         const webhook::AdmissionRequest& request);

}  // namespace fairway::conversion
