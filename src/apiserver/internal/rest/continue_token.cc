// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/continue_token.h"

#include "base/base64.h"
#include "base/json.h"

namespace fairway::apiserver::rest {
namespace {

/// Kubernetes's name for its form of tokens.
constexpr std::string_view form = "meta.k8s.io/v1";
/// Last byte of the next key: the key after "x" in byte order is "x" and a null byte.
constexpr char next_key = '\0';
/// Longest token: as long as a request line may be.
constexpr std::size_t most_bytes = 16 << 10;

}  // namespace

Result<ContinueToken> ContinueToken::parse(std::string_view text) {
  const auto bad = [](std::string_view why) {
    return fail(ErrorCode::invalid, "continue key is not valid: " + std::string(why));
  };
  if (text.size() > most_bytes) return bad("it is too long");
  const auto decoded = base64url_decode(text);
  if (!decoded) return bad("it is no base64");
  const auto value = json::parse(*decoded);
  if (!value || !value->is_object()) return bad("it is no JSON object");
  if (json::find_string(*value, "v") != form) return bad("server does not recognize this encoded version");
  const json::Value* revision = json::find(*value, "rv");
  const auto start = json::find_string(*value, "start");
  if (revision == nullptr || !revision->is_int64() || revision->get_int64() == 0 ||
      revision->get_int64() < -1) {
    return bad("incorrect encoded start resourceVersion");
  }
  if (!start || start->size() < 2 || start->back() != next_key) return bad("encoded start key empty");
  return ContinueToken{revision->get_int64(), std::string(start->substr(0, start->size() - 1))};
}

std::string ContinueToken::to_string() const {
  return base64url_encode(
      json::to_text(json::Object{{"v", form}, {"rv", revision}, {"start", after + next_key}}));
}

}  // namespace fairway::apiserver::rest
