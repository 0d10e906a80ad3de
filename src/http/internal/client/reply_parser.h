// SPDX-License-Identifier: Apache-2.0

// Reads replies as they come from a server. The grammar of heads is Boost.Beast's.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "http/message.h"

namespace fairway::http {

class ReplyParser {
 public:
  /// Takes the body's pieces; an error ends the reply.
  using Sink = std::function<Result<void>(std::string_view piece)>;
  enum class Progress { more, head, complete };

  /// `to_head`: a reply to HEAD has no body, whatever its headers say.
  explicit ReplyParser(bool to_head);
  ~ReplyParser();
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  /// Sets the receiver of the body; to be called when `feed` has returned `head`.
  void set_sink(Sink sink);
  /// Reads on; `consumed` bytes were used, the rest must be fed again with more behind it. `head` is returned
  /// once for each reply; interim replies (1xx) are skipped. Errors: `unavailable` for bytes that are not
  /// HTTP, or the error of the sink.
  Result<Progress> feed(std::string_view bytes, std::size_t& consumed);
  /// Handles the end of the connection: success if it delimits the reply, an error if the reply is cut short.
  Result<void> finish();

  int status() const;
  /// The reason phrase behind the status code.
  std::string& phrase();
  Headers& headers();
  bool keep_alive() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
