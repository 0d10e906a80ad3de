// SPDX-License-Identifier: Apache-2.0

// A status in parts, for the status port: one JSON document, and a stream of the parts that change.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/timed_condition.h"
#include "http/message.h"
#include "operators/internal/address_places.h"

namespace fairway::operators {

/// Limits and pauses of a status.
struct StatusLimits {
  /// Streams at once, in all and for one address (IPv6: a /64). One more is refused (503).
  std::size_t streams = 16, streams_per_address = 12;
  /// Documents that are being sent at once, likewise: each may be of another time, and a reader may be slow.
  std::size_t documents = 16, documents_per_address = 12;
  /// A part is made no more often than this: changes within this time come together.
  std::chrono::milliseconds pause{250};
  /// A stream on which nothing was sent for this time gets a comment, by which its reader knows that it is
  /// connected.
  std::chrono::milliseconds heartbeat{5'000};
};

/// The parts of a status, each a JSON value. One thread makes each part when it has changed; answers have
/// what is made. Safe from all threads. It must outlive the server of its answers.
class LiveStatus {
 public:
  /// Returns the JSON text of a part, without line feeds. Called by one thread at a time.
  using Render = std::function<std::string()>;
  struct Part {
    std::string name = {};
    Render render = {};
  };

  /// Creates the status. Its parts come in this order, in the document and in streams. The times of `limits`
  /// go by `clock`, which must outlive it.
  explicit LiveStatus(std::vector<Part> parts, const StatusLimits& limits = {},
                      Clock& clock = Clock::system());

  /// Records that a part is another one by now. It calls nothing, so that a part's owner may call it while
  /// its own lock is held.
  void changed(std::string_view part);
  /// Makes the parts that have changed. `run` does so; call it before that to have a document from the start.
  void publish();

  /// Returns the document: an object with a member for each part, as it was made last. It does not block.
  http::Response document(const http::Request& request);
  /// Returns a stream of server-sent events: each part as an event of its name, and again when it changes.
  /// A reader that is slower than the changes gets the newest state of each part in turn, and no more than
  /// that. It does not block.
  http::Response stream(const http::Request& request);
  /// Makes parts and feeds the streams until `stop`, then ends them.
  Result<void> run(const std::stop_token& stop);

 private:
  struct State {
    Part part;
    std::uint64_t revision = 1;
    /// The event that is sent, `event: NAME\ndata: JSON\n\n`, and the revision that it is of.
    http::Bytes event;
    std::uint64_t made = 0;
  };
  /// All but `waits` is for the thread of `run`.
  struct Reader {
    AddressPlaces::Place place;
    std::shared_ptr<http::Stream> stream;
    /// The revision of each part that was sent last.
    std::vector<std::uint64_t> sent;
    std::size_t next = 0;  ///< the part whose turn it is
    SteadyTime quiet_since;
    bool waits = false;  ///< for room
  };

  bool is_outdated() const;
  SteadyTime next_heartbeat() const;
  void remove_gone();
  void feed_all();
  /// Sends one event to a reader. Returns whether there may be another one for it.
  bool feed(const std::shared_ptr<Reader>& reader);
  void wait_for_room(const std::shared_ptr<Reader>& reader);

  const StatusLimits limits_;
  Clock& clock_;
  AddressPlaces stream_places_, document_places_;
  std::mutex publish_mutex_;  ///< held while parts are made; taken before `mutex_`
  mutable std::mutex mutex_;  ///< guards the four below
  bool has_news_ = false;
  std::vector<State> parts_;
  http::Bytes document_;
  std::vector<std::shared_ptr<Reader>> readers_;
  TimedCondition changed_;
};

}  // namespace fairway::operators
