// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/error_document.h"

#include "base/json.h"
#include "base/redact.h"
#include "base/text.h"

namespace fairway::oci {

std::string error_text(std::string_view body) {
  const auto document = json::parse(body);
  if (!document) return {};
  const auto* errors = json::find(*document, "errors");
  if (errors == nullptr || !errors->is_array() || errors->get_array().empty()) return {};
  const auto& first = errors->get_array().front();
  const auto code = json::find_string(first, "code").value_or("");
  const auto message = json::find_string(first, "message").value_or("");
  return printable(
      redact_urls(std::string(code) + (code.empty() || message.empty() ? "" : ": ") + std::string(message)));
}

}  // namespace fairway::oci
