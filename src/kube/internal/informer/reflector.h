// SPDX-License-Identifier: Apache-2.0

// Keeps a mirror of what a server holds of one kind: lists, then watches, and again when it must.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/backoff.h"
#include "kube/client/client.h"
#include "kube/client/pages.h"
#include "kube/informer/reflector_timings.h"

namespace fairway::kube {

/// A copy of the server's objects that a reflector keeps up to date. Called on the reflector's thread only.
class Mirror {
 public:
  virtual ~Mirror() = default;
  /// Begins a new list; the objects of an unfinished one are discarded.
  virtual void begin_list() = 0;
  virtual void list_object(k8s::Dynamic object) = 0;
  /// Removes an object that was deleted while the list was being received.
  virtual void unlist_object(const k8s::Dynamic& object) = 0;
  /// Ends the list: it is complete, and replaces all earlier objects.
  virtual void end_list() = 0;
  /// Handles the answer that the kind is not served, or not to us, which `ReflectorOptions::if_served` and
  /// `if_permitted` allow: it has no objects.
  virtual void not_served() {
    begin_list();
    end_list();
  }
  /// Applies an event, which is not a bookmark.
  virtual void apply(WatchEvent event) = 0;
  /// Called when everything up to this resourceVersion has been delivered: after a list, an event or a
  /// bookmark.
  virtual void advance(const std::string& /*version*/) {}
  /// Called when a list or watch failed, and will be retried.
  virtual void failed(const ApiError& /*error*/) {}
};

struct ReflectorOptions {
  k8s::GroupVersionResource resource = {};
  /// Namespace to watch; empty: all.
  std::string namespace_name = {};
  k8s::LabelSelector labels = {};
  k8s::FieldSelector fields = {};
  Content content = Content::objects;
  std::int64_t page_size = kube::page_size;
  /// True to let the watch begin with the existing objects (`WatchOptions::initial_events`); a server that
  /// refuses is asked for a list.
  bool streaming_list = false;
  /// True if the first list, too, must be the most recent one, and not what the server's cache has ("0").
  bool most_recent = false;
  /// True if a kind that the server does not serve is one without objects, and no problem.
  bool if_served = false;
  /// True if a kind that we may not list, and never could, is one without objects, and no problem.
  bool if_permitted = false;
  ReflectorTimings timings = {};
  /// Source of random numbers; nullptr: the system's.
  Random random = {};
};

/// Keeps a mirror up to date by list and watch. The rules are client-go's, except that fewer errors lead to a
/// new list, which is expensive for the server. A watch that ends without an answer of the server (cut,
/// refused, timed out), or with a 5xx, goes on where it was.
///
/// - The first list is the one that the server has in its cache ("0"), in pages. A later list is no older
///   than the known version, in one piece. If the server no longer has that version or does not have it yet,
///   the list is the newest. A list that expires between two pages is requested again in one piece.
/// - A watch that ends goes on from the last event or bookmark. After a 429, and while the API server cannot
///   be reached, it is retried with backoff. A 410, an event that cannot be parsed, and every other error
///   response lead to a new list.
class Reflector {
 public:
  /// Creates a reflector. `mirror` must outlive this.
  Reflector(std::shared_ptr<Client> client, ReflectorOptions options, Mirror& mirror);

  /// Works until it is stopped.
  void run(const std::stop_token& stop);

  /// Returns the last error, until a list or watch succeeds again. Safe from all threads.
  std::optional<Error> problem() const;
  /// Returns the resourceVersion of the last list, event or bookmark. Safe from all threads.
  std::string resource_version() const;
  /// Returns "v1, Resource=pods in shop".
  std::string described() const;
  /// Returns whether the server serves the kind, to us; false is possible only with `if_served` or
  /// `if_permitted`. Safe from all threads.
  bool is_served() const;

 private:
  /// The state of the machine that `run` drives: what `step` does, and the states that may follow. The
  /// machine begins with `listing`, or with `streaming` if `ReflectorOptions::streaming_list` is set.
  enum class State {
    /// Requests a watch that begins with the existing objects.
    /// - They came completely: it has become an ordinary watch, and the next state is as after `watching`.
    /// - The server does not have the version: `streaming` again, of the newest, once.
    /// - 429, or the server cannot be reached: `waiting_to_list` or `unserved` (see `relist`).
    /// - Everything else: `listing`, permanently if the server refuses or ignores such watches.
    streaming,
    /// Requests a list.
    /// - It came: `watching`.
    /// - 404, which `ReflectorOptions::if_served` allows, or 403 before any list, which `if_permitted`
    /// allows:
    ///   `unserved`.
    /// - Everything else: `waiting_to_list` or `unserved` (see `relist`).
    listing,
    /// Watches from the last event, bookmark or list on.
    /// - It ended or was cut, after an event or a while: `watching` again, at once.
    /// - It ended or was cut before that, 429, 5xx: `waiting_to_watch`.
    /// - The server does not have the version, an event that cannot be parsed, every other error response:
    ///   `waiting_to_list`.
    watching,
    /// Waits with backoff. Then `watching`.
    waiting_to_watch,
    /// Waits with backoff. Then `streaming` or `listing` (`list_state_`).
    waiting_to_list,
    /// Waits for a kind that the server does not serve, with a constant interval. Then `streaming` or
    /// `listing` (`list_state_`).
    unserved,
  };
  /// The version that the next list may have.
  enum class ListVersion {
    nothing,  ///< any version that the server's cache has ("0")
    version,  ///< no older than `version_`
    expired,  ///< the most recent: the server does not have `version_`, or the kind was not served; also
              ///< with `most_recent`
  };
  struct Watched;

  // The machine: each returns the state that follows. Once `stop` is requested, that one is not entered.

  /// Runs one state and returns the next.
  State step(State state, const std::stop_token& stop);
  /// Returns the state after a failed list: a wait for the kind, as long as it is not known to be served, or
  /// else backoff.
  State relist() const;
  /// Lists by a watch, and goes on watching.
  State stream(const std::stop_token& stop);
  /// Lists all objects.
  State list_all(const std::stop_token& stop);
  /// Returns the state after a watch that has ended.
  State after(const Watched& watched, const std::stop_token& stop);

  /// Requests one list, page by page, and delivers its objects.
  ApiResult<void> list_at(const std::string& version, const std::stop_token& stop);
  /// Requests one watch, `streaming` or `watching`, and delivers its events.
  Watched watch(State state, const std::string& version, const std::stop_token& stop);
  /// Delivers one event.
  Result<void> take(WatchEvent event, Watched& watched);
  /// Reports to the mirror that the list is complete.
  void end_list();
  void wait(std::chrono::nanoseconds time, const std::stop_token& stop);
  void record(const ApiError& problem);
  void record_success();
  void record_version(std::string version);
  void record_served(bool served);
  std::string relist_version() const;
  Result<void> check(const k8s::Dynamic& object) const;

  const std::shared_ptr<Client> client_;
  const ReflectorOptions options_;
  Mirror& mirror_;
  Clock& clock_;
  Random random_;
  Backoff backoff_;
  /// The state that a new list begins with: `streaming` if that is enabled, until the server refuses it.
  State list_state_;
  ListVersion list_version_;
  /// True if the server's cache paginates; older ones ignore the limit of a list at a version, or bypass the
  /// cache.
  bool cache_paginates_ = false;

  // State that other threads may read.
  mutable std::mutex mutex_;
  std::string version_;
  std::optional<Error> problem_;
  /// True if the kind was served according to the last list that ended or was answered with 404; unchanged
  /// while the next list is being received.
  bool served_ = true;
  /// True once a list has been complete. Used on the reflector's thread only.
  bool has_listed_ = false;
};

}  // namespace fairway::kube
