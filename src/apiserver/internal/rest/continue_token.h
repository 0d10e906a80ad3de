// The tokens of lists in pages.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/storage/record.h"
#include "base/result.h"

namespace fairway::apiserver {

/// Where a list goes on. The token holds everything: it survives a restart of the server.
struct ContinueToken {
  /// The state that the list shows; -1: the latest, which need not be that of the pages before.
  storage::Revision revision = 0;
  /// The path (`storage::Key::path`) of the last object before.
  std::string after;

  /// Errors: `invalid` if it is not a token of `to_string`.
  static Result<ContinueToken> parse(std::string_view text);
  /// Base64 for URLs, of JSON.
  std::string to_string() const;
  friend bool operator==(const ContinueToken&, const ContinueToken&) = default;
};

}  // namespace fairway::apiserver
