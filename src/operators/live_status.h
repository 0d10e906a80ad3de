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
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/timed_condition.h"
#include "http/message.h"

namespace fairway::operators {

/// Limits and pauses of the streams of a status.
struct StreamLimits {
  /// Streams at once. One more is refused (503).
  std::size_t streams = 16;
  /// Changes within this time are sent together.
  std::chrono::milliseconds pause{250};
  /// A stream on which nothing else is sent gets a comment this often, by which its reader knows that it is
  /// connected.
  std::chrono::milliseconds heartbeat{5'000};
};

/// The parts of a status, each a JSON value that is made when somebody asks for it. Safe from all threads.
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
  explicit LiveStatus(std::vector<Part> parts, const StreamLimits& limits = {},
                      Clock& clock = Clock::system());

  /// Records that a part is another one by now. It calls nothing, so that a part's owner may call it while
  /// its own lock is held.
  void changed(std::string_view part);

  /// Returns the document: an object with a member for each part.
  http::Response document();
  /// Returns a stream of server-sent events: each part as an event of its name, and again when it changes.
  /// A reader that is slower than the changes gets the newest state of a part, and no more than that.
  http::Response stream();
  /// Feeds the streams until `stop`, then ends them.
  Result<void> run(const std::stop_token& stop);

 private:
  struct State {
    Part part;
    std::uint64_t revision = 1;
    /// The event that is sent, `event: NAME\ndata: JSON\n\n`, and the revision that it is of.
    http::Bytes event;
    std::uint64_t rendered = 0;
  };
  struct Reader {
    std::shared_ptr<http::Stream> stream;
    /// The revision of each part that was sent last.
    std::vector<std::uint64_t> sent;
    SteadyTime quiet_since;
  };

  /// Returns the event of a part and its revision, made anew if the part has changed.
  std::pair<http::Bytes, std::uint64_t> event_of(std::size_t part);
  std::vector<std::uint64_t> revisions() const;
  /// Sends what is new to one reader. Returns whether something is left for which there was no room.
  bool feed(Reader& reader);
  void remove_gone();

  const StreamLimits limits_;
  Clock& clock_;
  std::mutex render_mutex_;  ///< held while a part is made; taken before `mutex_`
  mutable std::mutex mutex_;
  TimedCondition changed_;
  bool has_news_ = false;
  std::vector<State> parts_;
  std::vector<std::shared_ptr<Reader>> readers_;
};

}  // namespace fairway::operators
