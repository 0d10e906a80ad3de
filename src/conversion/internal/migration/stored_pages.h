// SPDX-License-Identifier: Apache-2.0

// The objects of a kind in pages, also where some of them cannot be read.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "conversion/internal/migration/activity.h"
#include "conversion/internal/migration/stored_list.h"
#include "kube/client/client.h"

namespace fairway::conversion {

/// An object, as far as a migration has to know it.
struct StoredObject {
  k8s::Key key = {};
  /// The reason why it still exists, if it is being deleted: "finalizers a, b"; otherwise empty.
  std::string going = {};
  /// The object itself, if the list is of whole ones.
  std::optional<k8s::Dynamic> document = {};
};

struct StoredPage {
  std::vector<StoredObject> objects = {};
  /// Number of objects after this page, where the server says it.
  std::optional<std::int64_t> remaining = {};
  /// Continue token; empty: this was the last page.
  std::string continue_token = {};
  /// The server's error, if the only object is one that cannot be read in any version. Others right before it
  /// may have the same error: nothing tells them apart.
  std::string unreadable = {};
};

/// Reads a list page by page. A page that cannot be read in one version is read in the next one: an API
/// server converts what is stored in another version, and one object that does not convert fails a page. One
/// that cannot be read in any version is halved, down to the single object, whose name is then found by
/// `find_last_unread_key`.
class StoredPages {
 public:
  /// `activity` records each answer; it and the client must outlive this.
  StoredPages(kube::Client& client, Activity& activity, StoredList list, const std::stop_token& stop)
      : client_(client),
        activity_(activity),
        list_(std::move(list)),
        stop_(stop),
        limit_(list_.page_size),
        token_(list_.continue_token) {
    read_position();
  }

  /// Returns the next page. A continue token that has expired is replaced by the one that the error offers.
  /// Errors: those of listing and of getting an object that no object causes; a few times in a row one that
  /// may be an outage (`Fault::perhaps_outage`); and `unavailable` if the server does not tell which object
  /// it cannot read.
  kube::ApiResult<StoredPage> next();

  /// Timeout of a request: a page may be long, and its objects converted by a webhook.
  static constexpr std::chrono::seconds request_timeout{60};

 private:
  kube::ApiResult<k8s::ObjectList> list(const std::string& token, std::int64_t limit);
  kube::ApiResult<StoredPage> single();
  kube::ApiResult<std::optional<StoredPage>> locate(const std::string& error);
  kube::ApiResult<std::optional<StoredPage>> unreadable(const std::string& key, const std::string& error);
  kube::ApiResult<bool> is_unreadable(const k8s::Key& key);
  kube::ApiError not_told(const std::string& error, const std::string& why) const;
  std::optional<std::string> named_in(std::string_view error) const;
  StoredPage taken(k8s::ObjectList list);
  void read_position();
  Result<bool> meets(const std::string& after, const std::string& error);
  std::string token_after(const std::string& key) const;
  bool is_of_one_namespace() const { return !list_.namespace_name.empty(); }

  kube::Client& client_;
  Activity& activity_;
  const StoredList list_;
  const std::stop_token stop_;
  std::int64_t limit_;
  std::string token_;
  /// The key after which the list goes on, as tokens have it but without the namespace of the list; empty: at
  /// the first object; std::nullopt if the token is in no known form.
  std::optional<std::string> position_ = std::string();
  /// In lists of one namespace, Kubernetes's tokens have no namespace; those of `fairway apiserver` have.
  bool tokens_have_namespace_ = false;
  std::optional<kube::ApiError> search_error_;  ///< error that has ended the search of a key
  /// The error of one object is not the same for each request: it has the id of a review.
  bool errors_vary_ = false;
  int doubts_ = 0;  ///< errors of a single object that may be an outage
};

}  // namespace fairway::conversion
