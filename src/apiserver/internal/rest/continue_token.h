// SPDX-License-Identifier: Apache-2.0

// The tokens of lists in pages.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/internal/storage/record.h"
#include "base/result.h"

namespace fairway::apiserver::rest {

/// The place where a list goes on. The token holds everything, so that it survives a restart of the server.
struct ContinueToken {
  /// The state that the list shows; -1: the latest, which need not be that of the pages before.
  storage::Revision revision = 0;
  /// Path (`storage::Key::path`) of the last object before.
  std::string after;

  /// Reads a token. Errors: `invalid` if it is not one of `to_string`.
  static Result<ContinueToken> parse(std::string_view text);
  /// The token as base64 for URLs, of JSON.
  std::string to_string() const;
  friend bool operator==(const ContinueToken&, const ContinueToken&) = default;
};

}  // namespace fairway::apiserver::rest
