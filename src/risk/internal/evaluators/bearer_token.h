// SPDX-License-Identifier: Apache-2.0

// Bearer tokens as files hold them.
#pragma once

#include <string>

#include "base/result.h"

namespace fairway::risk {

/// Reads a token; white space around it is not part of it. Tokens are replaced at run time, so read it for
/// each call. An Error: the file does not exist, or has no token.
Result<std::string> read_bearer_token(const std::string& file);

}  // namespace fairway::risk
