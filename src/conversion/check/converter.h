// SPDX-License-Identifier: Apache-2.0

// The converters that a check can ask.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "conversion/check/conversion_check.h"
#include "conversion/converters.h"
#include "k8s/custom_resource_definition.h"

namespace fairway::conversion {

/// The address of a webhook, and whom to trust there.
struct WebhookAddress {
  /// "https://HOST:PORT/convert".
  std::string url = {};
  /// PEM files of certificate authorities to trust besides those of the machine.
  std::vector<std::string> ca_files = {};
  /// A PEM text of the only authorities to trust, as a definition has it; empty: none is given.
  std::string ca_bundle = {};
  /// The name that the certificate has to have; empty: the URL's host.
  std::string server_name = {};
};

/// The time that an API server gives a conversion webhook.
inline constexpr std::chrono::seconds webhook_timeout{30};

/// Returns the address of a definition's webhook; of one that is a Service, the name that is known within the
/// cluster. Errors: `not_found` if the definition has no webhook; `invalid` if it says neither URL nor
/// Service, or its caBundle is not base64.
Result<WebhookAddress> webhook_address(const k8s::CustomResourceDefinition& definition);

/// Returns a converter that posts ConversionReviews to a webhook, as an API server does; http is allowed, for
/// webhooks on the same machine. Errors: the URL, also one with a user, a query or a fragment, and files of
/// `ca_files` that cannot be read.
Result<AskConverter> ask_webhook(const WebhookAddress& address, std::stop_token stop = {});

/// Returns a converter that uses converters of this process, which must be prepared.
AskConverter ask_converters(std::shared_ptr<const Converters> converters);

/// Returns the converter of a definition without a webhook (strategy None): only apiVersion changes.
AskConverter ask_nobody();

/// Returns the body of a response: the objects in the order of the question's.
std::string write_converted(const k8s::ConversionQuestion& question,
                            const std::vector<json::Object>& objects);
/// Returns the body of a response that refuses the objects.
std::string write_refusal(const k8s::ConversionQuestion& question, std::string_view why);

}  // namespace fairway::conversion
