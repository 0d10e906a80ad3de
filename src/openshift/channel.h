// SPDX-License-Identifier: Apache-2.0

// Channel, the resource of config.openshift.io that describes a channel of the update service.
#pragma once

#include <string_view>

#include "k8s/object.h"

namespace fairway::openshift {

/// One channel of the update service that a cluster uses (channel-metadata of docs/api.md, section In-cluster
/// Storage). Its name is the channel's.
class Channel : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"config.openshift.io", "v1", "Channel", "channels",
                                          k8s::Scope::cluster};
  using Dynamic::Dynamic;

  /// Returns a paragraph about the purpose of the channel; empty without one.
  std::string_view description() const { return text("status.description"); }
};

}  // namespace fairway::openshift
