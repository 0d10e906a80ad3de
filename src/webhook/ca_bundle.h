// SPDX-License-Identifier: Apache-2.0

// `caBundle` of CRDs and webhook configurations: the CAs that API servers trust for a webhook.
#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"

namespace fairway::webhook {

/// An object that refers to this webhook server.
struct CaBundleTarget {
  enum class Kind {
    custom_resource_definition,
    validating_webhook_configuration,
    mutating_webhook_configuration
  };
  Kind kind = Kind::custom_resource_definition;
  std::string name = {};
  /// The webhooks of this server in a configuration; empty: all of them.
  std::vector<std::string> webhooks = {};

  /// "CustomResourceDefinition widgets.example.com".
  std::string to_string() const;
};

/// Sets the bundle (PEM) of the target by server-side apply of that field only, with force; writes nothing if
/// it is already set. Returns whether anything was written. Errors: `not_found` if the object does not exist
/// (it is never created here), `invalid` if it has no webhook that could have a bundle, and those of the
/// server.
kube::ApiResult<bool> publish_ca_bundle(kube::Client& client, const CaBundleTarget& target,
                                        const std::string& bundle, const std::string& field_manager,
                                        const Limits& limits = {});

}  // namespace fairway::webhook
