// SPDX-License-Identifier: Apache-2.0

#include "apiserver/key_type.h"

#include "base/text.h"

namespace fairway::apiserver {

Result<KeyType> parse_key_type(std::string_view text) {
  if (text == "ec") return KeyType::ec;
  if (text == "rsa") return KeyType::rsa;
  return fail(ErrorCode::invalid, "there is no type of keys '" + printable(text, 40) + "': write rsa or ec");
}

}  // namespace fairway::apiserver
