// The OpenAPI documents of what is served.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/internal/resources/registry.h"
#include "http/message.h"
#include "k8s/group_version.h"

namespace fairway::apiserver::openapi {

struct Document {
  /// JSON.
  http::Bytes text;
  /// Of the text.
  std::string hash;
};
using DocumentPtr = std::shared_ptr<const Document>;

/// A document is made when it is asked for first, and anew where its own resources have changed. Safe from
/// all threads.
class Documents {
 public:
  /// `version` is that of `info`: "v1.36.0".
  Documents(const ResourceRegistry& registry, std::string version);

  /// Version 3: the document of a group version; null if it serves nothing.
  DocumentPtr find(const k8s::GroupVersion& group_version);
  /// What `/openapi/v3` answers: the URL of each group version, with its hash.
  http::Bytes index();
  /// Version 2: everything.
  DocumentPtr all();

 private:
  struct Entry {
    std::vector<ServedResourcePtr> resources;
    DocumentPtr document;
  };

  void refresh();
  const DocumentPtr& made(Entry& entry);

  const ResourceRegistry& registry_;
  const std::string version_;
  std::mutex mutex_;
  std::uint64_t generation_ = 0;
  std::map<k8s::GroupVersion, Entry> entries_;
  DocumentPtr all_;
};

}  // namespace fairway::apiserver::openapi
