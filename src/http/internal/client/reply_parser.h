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

  /// A reply to HEAD has no body, whatever its headers say.
  explicit ReplyParser(bool to_head);
  ~ReplyParser();
  ReplyParser(const ReplyParser&) = delete;
  ReplyParser& operator=(const ReplyParser&) = delete;

  /// Where the body goes; to be set when `feed` has said `head`.
  void set_sink(Sink sink);
  /// Reads on; `consumed` bytes were used, the rest must be fed again with more behind it. `head` is said
  /// once a reply, interim replies (1xx) are passed over. Errors: `unavailable` for what is no HTTP, or what
  /// the sink answers.
  Result<Progress> feed(std::string_view bytes, std::size_t& consumed);
  /// The connection has ended: true if the reply was delimited by that, an error if it is cut short.
  Result<void> finish();

  int status() const;
  /// What stands behind the status code.
  std::string& phrase();
  Headers& headers();
  bool keep_alive() const;

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace fairway::http
