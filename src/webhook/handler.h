// SPDX-License-Identifier: Apache-2.0

// The functions that a webhook server calls: conversion, admission, or both.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/metrics.h"
#include "base/result.h"
#include "http/server.h"
#include "k8s/custom_resource_definition.h"
#include "k8s/group_version.h"
#include "webhook/admission.h"

namespace fairway::webhook {

/// Limit on an AdmissionReview, which has the new and the old object.
inline constexpr std::size_t max_admission_bytes = std::size_t{8} << 20;
/// Limit on a ConversionReview: an API server puts all objects of a list, or of a page, into one.
inline constexpr std::size_t max_conversion_bytes = std::size_t{64} << 20;

/// The functions that make a handler a conversion webhook.
struct Conversion {
  /// Returns whether it converts objects of this kind at all.
  std::function<bool(std::string_view group, std::string_view kind)> converts = {};
  /// Checks that it converts between each two versions of a definition as the server has it: a newer release
  /// may have added some. The error names the versions; the server is not ready then.
  std::function<Result<void>(const k8s::CustomResourceDefinition& on_server)> reaches = {};
  /// The kinds whose conversions rely on a validating webhook of the same server: `WebhookServer` starts only
  /// if it registers one that sees each CREATE and UPDATE of them, of their status and of their scale, in
  /// every version, and refuses writes while it does not answer; `listen`, which registers nothing, refuses
  /// them. The webhook says of itself that it is the one (`AdmissionWebhook::guards_conversion`).
  std::vector<k8s::GroupKind> guarded = {};
  /// Gets each of `guarded` whenever its webhook was seen to be effective on the server, for the second time
  /// and later, with a second between and nothing wrong in the meantime; and when it was seen not to be any
  /// more. Until the first call it is not. It is called on a thread of the server, and must not block.
  std::function<void(const k8s::GroupKind& kind, bool effective)> on_guard = {};
};

/// One webhook in a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration of the same name. API
/// servers convert an object to a version that the rules name, whichever version the request has.
struct AdmissionWebhook {
  enum class Kind { mutating, validating };
  Kind kind = Kind::validating;
  /// Name of at least three parts with dots between them: "widgets.example.com".
  std::string name = {};
  /// Group of the resources; empty: the core group.
  std::string group = {};
  std::vector<std::string> versions = {};
  /// Plurals; "pods/eviction" for a subresource.
  std::vector<std::string> resources = {};
  std::vector<std::string> operations = {"CREATE", "UPDATE"};
  /// "Fail" refuses writes while no server answers, and "Ignore" lets through objects that no handler has
  /// seen.
  std::string failure_policy = "Fail";
  /// Labels of the namespaces, and of the objects, whose requests it gets; empty: all.
  json::Object namespace_selector = {}, object_selector = {};
  /// True of the webhook by which kinds of `Conversion::guarded` are guarded: it has to see every request, so
  /// selectors and match conditions that somebody adds to it on the server are removed.
  bool guards_conversion = false;
};

/// One path of a webhook server.
struct Handler {
  std::string path = {};
  /// Answers a POST, with any Content-Type, and up to the longest body of all handlers of the server.
  http::Handler answer = {};
  /// True if it may block, and so runs in the server's pool. Others run on the I/O threads.
  bool blocks = false;
  std::size_t max_body_bytes = max_admission_bytes;
  /// Set for a conversion webhook.
  std::optional<Conversion> conversion = {};
  /// The webhooks that the server registers for it.
  std::vector<AdmissionWebhook> webhooks = {};
};

/// The annotation of the configuration of a guard with the time at which a replica that needs it has last
/// said so. Replicas that do not need it remove the guard when nobody says so any more.
inline constexpr std::string_view guarded_annotation = "conversion.fairway.dev/guarded";

/// Returns the name of the guard of a definition's kind, and of its configuration: "quarantine." and the name
/// of the definition. It is none of the names that programs without quarantine register.
std::string guard_name(const k8s::CustomResourceDefinition& definition);

/// A handler of AdmissionReviews. `webhooks` may be empty: then the server does not register it. `metrics`
/// counts `fairway_admission_reviews_total` by path and result, and must outlive the server.
Handler admission_handler(std::string path, AdmissionHandler handler, metrics::Registry& metrics,
                          std::vector<AdmissionWebhook> webhooks = {}, bool blocks = false);

/// Adds a handler to the routes of a server.
void add_to(http::Router& router, const Handler& handler);

/// The options of a server for these handlers: HTTPS with this certificate, bodies as long as theirs, at most
/// four of that length at one time and three of one address (beyond it 503 with Retry-After), and no long
/// wait for a body. With a client CA in `tls`, handlers answer only clients with a certificate of it (others:
/// 401).
http::ServerOptions listen_options(std::string listen, http::TlsServerOptions tls,
                                   const std::vector<Handler>& handlers);

/// Serves the handlers, the other routes of `router`, `/livez` and `/readyz`, which answers 503 while
/// `not_ready` returns a reason. The server's own refusals have a Status as body. Errors: the address, the
/// certificate, a handler with kinds that need a guard (`Conversion::guarded`).
Result<std::unique_ptr<http::Server>> listen(const http::ServerOptions& options,
                                             const std::vector<Handler>& handlers, http::Router router = {},
                                             std::function<std::optional<std::string>()> not_ready = {});

}  // namespace fairway::webhook
