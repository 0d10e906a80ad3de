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

namespace fairway::apiserver {

/// As kube-controller-manager's namespace controller: what is in a namespace that is deleted is deleted, and
/// when nothing is left the finalizer `kubernetes` in its spec goes, and with it the Namespace. Used by one
/// thread.
class NamespaceController {
 public:
  explicit NamespaceController(Objects& objects) : objects_(objects) {}

  void observe(const Observed& observed);
  /// As `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// False where some of it failed, and has to be tried again.
  bool work(const std::stop_token& stop);

 private:
  struct Content {
    std::size_t objects = 0;
    /// By which they are held, and how many by each.
    std::map<std::string, std::size_t> finalizers;
    /// "configmaps. has 2 resource instances".
    std::string text, finalizer_text;
    bool failed = false;
  };

  bool settle(const std::string& name, const std::stop_token& stop);
  /// Deletes what is there; what is left.
  Content empty(const std::string& name, const std::stop_token& stop);
  /// Deletes some of it, and adds what stays.
  void remove(std::span<const storage::RecordPtr> records, const ServedResourcePtr& resource,
              Content& content);
  bool finalize(const std::string& name);
  bool report(const std::string& name, const Content& content);

  Objects& objects_;
  std::set<std::string> terminating_, due_;
};

/// As kube-controller-manager: each namespace has a ServiceAccount `default`, and a ConfigMap
/// `kube-root-ca.crt` with the authority of this server. Used by one thread.
class NamespaceDefaults {
 public:
  NamespaceDefaults(Objects& objects, std::string authority)
      : objects_(objects), authority_(std::move(authority)) {}

  void observe(const Observed& observed);
  /// As `ChangeFeed::Observer::resync`.
  void resync(const std::string& resource);
  /// False where some of it failed, and has to be tried again.
  bool work();

 private:
  bool fill(const std::string& name);

  Objects& objects_;
  std::string authority_;
  std::set<std::string> active_, due_;
};

}  // namespace fairway::apiserver
