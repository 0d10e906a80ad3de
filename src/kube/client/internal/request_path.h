// Paths and queries of requests to an API server.
#pragma once

#include <string>
#include <string_view>

#include "k8s/group_version.h"
#include "kube/client/options.h"
#include "kube/client/watch.h"

namespace fairway::kube {

/// "/apis/apps/v1/namespaces/a/deployments/b/status"; without a name the collection.
std::string resource_path(const k8s::GroupVersionResource& resource, std::string_view namespace_name,
                          std::string_view name = {}, std::string_view subresource = {});

/// A query that is built up; values are encoded.
class Query {
 public:
  void add(std::string_view name, std::string_view value);
  /// Only where there is a value.
  void add_if_set(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  void add(const ListOptions& options);
  void add(const WatchOptions& options);
  void add(const WriteOptions& options);
  void add(FieldValidation validation);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// The body of a delete; "" where nothing is asked for.
std::string delete_body(const DeleteOptions& options);

}  // namespace fairway::kube
