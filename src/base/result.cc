// SPDX-License-Identifier: Apache-2.0

#include "base/result.h"

namespace fairway {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::unauthenticated:
      return "unauthenticated";
    case ErrorCode::forbidden:
      return "forbidden";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::too_large:
      return "too_large";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::deadline_exceeded:
      return "deadline_exceeded";
    case ErrorCode::cancelled:
      return "cancelled";
    case ErrorCode::unsupported:
      return "unsupported";
    case ErrorCode::internal:
      return "internal";
  }
  return "internal";
}

Error Error::within(std::string_view doing) const {
  return {code, std::string(doing) + ": " + message};
}

}  // namespace fairway
