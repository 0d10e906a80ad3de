// Bearer tokens as files hold them.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::risk {

/// Reads a token; white space around it is not part of it. Tokens are replaced while we run, so read it for
/// each call. An Error: there is no file, or no token in it.
Result<std::string> read_bearer_token(const std::string& file);

}  // namespace fairway::risk
