// Feeds the streams of all watches.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/objects/internal/selected.h"
#include "apiserver/storage/storage.h"
#include "apiserver/watch/internal/object_form.h"
#include "base/clock.h"
#include "http/message.h"

namespace fairway::apiserver {

/// One watch of a client.
struct WatchSpec {
  std::unique_ptr<storage::Watch> events;
  std::shared_ptr<http::Stream> stream;
  std::shared_ptr<const ObjectForm> form;
  Selection selection;
  /// Sent first, as ADDED: what is selected of `initial_query`.
  std::vector<storage::RecordPtr> initial;
  /// Reads them again, of the revision that they show, for a client that is slow to take them.
  storage::ListQuery initial_query;
  storage::Storage* storage = nullptr;
  /// The bookmark that ends the initial objects, if the client waits for one, with this version.
  std::optional<storage::Revision> initial_end;
  /// Sends a bookmark about every minute.
  bool bookmarks = false;
  /// When the server ends the watch.
  SteadyTime until;
};

/// A few threads feed all watches: a watch holds no thread, and makes no piece before its client has taken
/// the last ones. A client that is too slow is overtaken by the storage's ring, and its stream ends: it goes
/// on at its version. Watches whose objects a webhook converts have threads of their own, of which one
/// resource has one: a webhook that is silent holds up no other watch. Safe from all threads.
class WatchHub {
 public:
  explicit WatchHub(Clock& clock);
  /// Ends all streams.
  ~WatchHub();
  WatchHub(const WatchHub&) = delete;
  WatchHub& operator=(const WatchHub&) = delete;

  void add(WatchSpec spec);
  /// Watches that are open now.
  std::size_t size() const;
  /// Times at which one of them has something to do: at most one for each.
  std::size_t timers() const;

 private:
  class Session;
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::apiserver
