// SPDX-License-Identifier: Apache-2.0

// The OpenAPI documents of what is served.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/openapi/document.h"
#include "apiserver/internal/resources/registry.h"
#include "base/clock.h"
#include "http/message.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::openapi {

/// The documents of a server. Each is made at first use, and again when its own resources have changed. Safe
/// from all threads.
class Documents {
 public:
  /// Makes the documents. `version` is that of `info`: "v1.37.0". `clock` says when each was made.
  Documents(const resources::ResourceRegistry& registry, std::string version, const Clock& clock);

  /// Returns the document of a group version in version 3; null if it serves nothing.
  DocumentPtr find(const k8s::GroupVersion& group_version);
  /// Returns the reply of `/openapi/v3`: the URL of each group version, with its hash.
  http::Bytes index();
  /// Returns the document of version 2, which has everything.
  DocumentPtr all();

 private:
  struct Entry {
    std::vector<resources::ServedResourcePtr> resources;
    DocumentPtr document;
  };

  void refresh();
  const DocumentPtr& made(Entry& entry);
  DocumentPtr make(Dialect dialect, const std::vector<resources::ServedResourcePtr>& resources) const;

  const resources::ResourceRegistry& registry_;
  const std::string version_;
  const Clock& clock_;
  std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::map<k8s::GroupVersion, Entry> entries_;
  DocumentPtr all_;
};

}  // namespace fairway::apiserver::openapi
