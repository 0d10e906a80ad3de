// SPDX-License-Identifier: Apache-2.0

// The resources as they are sent.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>

#include "xds/resource.h"

namespace fairway::xds {

struct EncodedResource {
  /// A hash of the resource: the same after a restart of the server, so that an Envoy that has it keeps it.
  std::string version;
  /// The encoded message.
  std::string bytes;
  /// The resource that it was made from.
  Resource source = {};
};

/// The resources of one moment. Immutable; the next one shares the resources that have not changed.
class Snapshot {
 public:
  using Of = std::map<std::string, std::shared_ptr<const EncodedResource>, std::less<>>;
  const Of& of(Type type) const { return resources_[static_cast<std::size_t>(type)]; }
  Of& of(Type type) { return resources_[static_cast<std::size_t>(type)]; }
  /// Returns a resource; nullptr: there is none.
  const EncodedResource* find(Type type, std::string_view name) const {
    const auto found = of(type).find(name);
    return found != of(type).end() ? found->second.get() : nullptr;
  }

 private:
  std::array<Of, types.size()> resources_;
};

}  // namespace fairway::xds
