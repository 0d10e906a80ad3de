// SPDX-License-Identifier: Apache-2.0

#include "operators/internal/cluster_id.h"

#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::operators {
namespace {

constexpr std::size_t usual = 36, digits = 32;
constexpr std::string_view urn = "urn:uuid:";

bool is_dash(std::size_t at) {
  return at == 8 || at == 13 || at == 18 || at == 23;
}

}  // namespace

std::expected<std::string, std::string> read_cluster_id(std::string_view text) {
  const std::string length = std::to_string(text.size());
  if (text.size() == usual + urn.size()) {
    if (!equals_ignoring_case(text.substr(0, urn.size()), urn))
      return std::unexpected("invalid urn prefix: " + quote(printable(text.substr(0, urn.size()))));
    text.remove_prefix(urn.size());
  } else if (text.size() == usual + 2) {
    text = text.substr(1, usual);
  } else if (text.size() != usual && text.size() != digits) {
    return std::unexpected("invalid UUID length: " + length);
  }
  std::string id;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.size() == digits && is_dash(id.size())) id += '-';
    const char c = text[i];
    const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (text.size() == usual && is_dash(i) ? c != '-' : !digit) return std::unexpected("invalid UUID format");
    id += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return id;
}

}  // namespace fairway::operators
