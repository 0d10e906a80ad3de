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

/// What a reflector keeps up to date. Called on the reflector's thread only.
class Mirror {
 public:
  virtual ~Mirror() = default;
  /// A new list begins; what an unfinished one has brought counts for nothing.
  virtual void begin_list() = 0;
  virtual void list_object(k8s::Dynamic object) = 0;
  /// It has gone again while the list was coming.
  virtual void unlist_object(const k8s::Dynamic& object) = 0;
  /// The list is whole: it is what there is.
  virtual void end_list() = 0;
  /// The answer to the list was that the kind is not served, which `ReflectorOptions::if_served` allows: it
  /// has no objects.
  virtual void not_served() {
    begin_list();
    end_list();
  }
  /// Not a bookmark.
  virtual void apply(WatchEvent event) = 0;
  /// Everything up to this resourceVersion was handed on: after a list, an event or a bookmark.
  virtual void advance(const std::string& /*version*/) {}
  /// A list or watch failed, and will be retried.
  virtual void failed(const ApiError& /*error*/) {}
};

struct ReflectorOptions {
  k8s::GroupVersionResource resource;
  /// Empty: all of them.
  std::string namespace_name;
  k8s::LabelSelector labels;
  k8s::FieldSelector fields;
  Content content = Content::objects;
  std::int64_t page_size = kube::page_size;
  /// Let the watch begin with what is there (`WatchOptions::initial_events`); a server that refuses is asked
  /// for a list.
  bool streaming_list = false;
  /// The first list is the most recent too, and not what the server's cache has ("0").
  bool most_recent = false;
  /// A kind that the server does not have is one without objects, and no problem.
  bool if_served = false;
  ReflectorTimings timings;
  /// nullptr: the system's.
  Random random;
};

/// The rules are client-go's, but for what costs the server a list without need: whatever ends a watch
/// without an answer of the server's (cut, refused, not in time) and every 5xx let the watch go on where it
/// was.
///
/// - The first list is what the server has at hand ("0"), in pages; a later one is no older than what is
///   known, in one piece; where the server has forgotten that version or does not know it yet, it is the
///   newest. A list that expires between two pages is asked for once more in one piece.
/// - A watch that ends goes on from the last event or bookmark. 429 and an API server that cannot be reached
///   are waited for. 410, an event that cannot be parsed, and every other error response lead to a new list.
class Reflector {
 public:
  /// `mirror` must outlive this.
  Reflector(std::shared_ptr<Client> client, ReflectorOptions options, Mirror& mirror);

  /// Works until it is stopped.
  void run(const std::stop_token& stop);

  /// What went wrong last, until it goes well again. Safe from all threads.
  std::optional<Error> problem() const;
  /// Of the last list, event or bookmark. Safe from all threads.
  std::string resource_version() const;
  /// "v1, Resource=pods in shop".
  std::string described() const;
  /// False while the server does not have the kind, where `if_served` allows that. Safe from all threads.
  bool is_served() const;

 private:
  /// The state of the machine that `run` drives: what `step` does, and then one of those named here. The
  /// machine begins with `listing`, or `streaming` where `ReflectorOptions::streaming_list` asks for it.
  enum class State {
    /// Asks for a watch that begins with what there is.
    /// - That came whole: it has become a watch like any other, and what follows is as after `watching`.
    /// - The server does not have the version: `streaming` again, of the newest, once.
    /// - 429, or the server cannot be reached: `waiting_to_list` or `unserved` (see `relist`).
    /// - Everything else: `listing`, which lasts if the server refuses or ignores what is asked.
    streaming,
    /// Asks for a list.
    /// - It came: `watching`.
    /// - 404, which `ReflectorOptions::if_served` allows: `unserved`.
    /// - Everything else: `waiting_to_list` or `unserved` (see `relist`).
    listing,
    /// Watches from the last event, bookmark or list on.
    /// - It ended or was cut, after an event or a while: `watching` again, at once.
    /// - It ended or was cut before that, 429, 5xx: `waiting_to_watch`.
    /// - The server does not have the version, an event that makes no sense, every other error response:
    ///   `waiting_to_list`.
    watching,
    /// Waits with backoff. Then `watching`.
    waiting_to_watch,
    /// Waits with backoff. Then `streaming` or `listing` (`list_state_`).
    waiting_to_list,
    /// Waits for a kind that the server does not have, always as long. Then `streaming` or `listing`
    /// (`list_state_`).
    unserved,
  };
  /// What the next list may be.
  enum class Known {
    nothing,  ///< any version that the server has at hand ("0")
    version,  ///< no older than `version_`
    expired,  ///< the most recent: the server does not have `version_`, or the kind was not served; also
              ///< with `most_recent`
  };
  struct Watched;

  // The machine: each returns the state that follows. Once `stop` is requested, that one is not entered.

  /// Does what `state` says.
  State step(State state, const std::stop_token& stop);
  /// Follows a list that failed: waits for the kind, as long as it is not known to be served, or else with
  /// backoff.
  State relist() const;
  /// Lists by a watch, and goes on watching.
  State stream(const std::stop_token& stop);
  /// Lists in full.
  State list_all(const std::stop_token& stop);
  /// Follows a watch that has ended.
  State after(const Watched& watched, const std::stop_token& stop);

  /// Asks for one list, page by page, and hands its objects on.
  ApiResult<void> list_at(const std::string& version, const std::stop_token& stop);
  /// Asks for one watch, `streaming` or `watching`, and hands its events on.
  Watched watch(State state, const std::string& version, const std::stop_token& stop);
  /// Hands one event on.
  Result<void> take(WatchEvent event, Watched& watched);
  /// Hands on that the list is whole.
  void end_list();
  void wait(std::chrono::nanoseconds time, const std::stop_token& stop);
  void note(const ApiError& problem);
  void note_success();
  void note_version(std::string version);
  void note_served(bool served);
  std::string relist_version() const;
  Result<void> check(const k8s::Dynamic& object) const;

  const std::shared_ptr<Client> client_;
  const ReflectorOptions options_;
  Mirror& mirror_;
  Clock& clock_;
  Random random_;
  Backoff backoff_;
  /// The state that a new list begins with: `streaming` where that is asked for, until the server refuses it.
  State list_state_;
  Known known_;
  /// The server's cache paginates; older ones ignore the limit of a list at a version, or bypass the cache.
  bool cache_paginates_ = false;

  // What other threads may ask for.
  mutable std::mutex mutex_;
  std::string version_;
  std::optional<Error> problem_;
  /// Of the last list that ended or was answered with 404: it stays as it is while the next one comes.
  bool served_ = true;
};

}  // namespace fairway::kube
