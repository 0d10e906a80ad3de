// SPDX-License-Identifier: Apache-2.0

// Empties namespaces that are deleted, and fills new ones with what each has.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <stop_token>
#include <string>

#include "apiserver/internal/controllers/change_feed.h"
#include "apiserver/internal/objects/objects.h"

namespace fairway::apiserver::controllers {

/// Deletes the content of namespaces that are being deleted, as kube-controller-manager's namespace
/// controller. When nothing is left, the finalizer `kubernetes` in the spec is removed, and with it the
/// Namespace. Used by one thread.
class NamespaceController {
 public:
  explicit NamespaceController(objects::Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work(const std::stop_token& stop);

 private:
  struct Content {
    std::size_t objects = 0;
    /// Finalizers that hold the objects, and the number of objects that each holds.
    std::map<std::string, std::size_t> finalizers;
    /// Texts for conditions: "configmaps. has 2 resource instances".
    std::string text, finalizer_text;
    bool failed = false;
  };

  bool settle(const std::string& name, const std::stop_token& stop);
  /// Deletes the content of a namespace. Returns what is left.
  Content empty(const std::string& name, const std::stop_token& stop);
  /// Deletes some of the content, and adds the objects that stay to `content`.
  void remove(std::span<const storage::RecordPtr> records, const resources::ServedResourcePtr& resource,
              Content& content);
  bool finalize(const std::string& name);
  bool report(const std::string& name, const Content& content);

  objects::Objects& objects_;
  std::set<std::string> terminating_, due_;
};

/// Gives each namespace a ServiceAccount `default` and a ConfigMap `kube-root-ca.crt` with the authority of
/// this server, as kube-controller-manager does. Used by one thread.
class NamespaceDefaults {
 public:
  NamespaceDefaults(objects::Objects& objects, std::string authority)
      : objects_(objects), authority_(std::move(authority)) {}

  void observe(const Observed& observed);
  /// Implements `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// Works on what is due. Returns false if some of it failed and has to be retried.
  bool work();

 private:
  bool fill(const std::string& name);
  /// Gives the namespace's ConfigMap its content back, if somebody has changed it.
  bool repair(const std::string& name);

  objects::Objects& objects_;
  std::string authority_;
  std::set<std::string> active_, due_;
};

}  // namespace fairway::apiserver::controllers
