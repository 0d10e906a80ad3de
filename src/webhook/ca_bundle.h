// Whom API servers trust when they call a webhook: `caBundle` of CRDs and webhook configurations.
#pragma once

#include <string>
#include <vector>

#include "kube/client/client.h"

namespace fairway::kube {

/// An object that names our webhook server.
struct CaBundleTarget {
  enum class Kind {
    custom_resource_definition,
    validating_webhook_configuration,
    mutating_webhook_configuration
  };
  Kind kind = Kind::custom_resource_definition;
  std::string name;
  /// Of a configuration, the webhooks that are ours; empty: all in it.
  std::vector<std::string> webhooks = {};

  /// "CustomResourceDefinition widgets.example.com".
  std::string to_string() const;
};

/// Puts a bundle (PEM) where the target has it, by server-side apply of that field alone, taken over from
/// whoever held it; nothing is written where it stands there already. Returns whether anything was written.
/// Errors: `not_found` where the object is not there (it is never made here), `invalid` where it has no
/// webhook that could have a bundle, and whatever the server says.
ApiResult<bool> publish_ca_bundle(Client& client, const CaBundleTarget& target, const std::string& bundle,
                                  const std::string& field_manager, const Limits& limits = {});

}  // namespace fairway::kube
