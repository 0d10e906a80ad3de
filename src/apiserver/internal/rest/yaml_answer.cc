// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/yaml_answer.h"

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/yaml_text.h"
#include "k8s/wire/media_type.h"

namespace fairway::apiserver::rest {

void turn_to_yaml(const http::Request& request, http::Response& response) {
  if (response.stream != nullptr || response.body == nullptr) return;
  const std::string accept = request.headers_joined("Accept");
  // Most do not name it.
  if (accept.find("yaml") == std::string::npos) return;
  const std::string type(response.headers.find("Content-Type").value_or(""));
  constexpr std::string_view json_type = "application/json", yaml_type = "application/yaml";
  if (!type.starts_with(json_type) || response.headers.find("Content-Encoding")) return;
  const auto form = k8s::negotiate(accept, [](const k8s::GroupVersionKind& as) {
    return k8s::is_table_or_metadata(as) || k8s::is_aggregated_discovery(as);
  });
  if (!form || !form->yaml) return;
  const auto value = json::parse(*response.body);
  if (!value) return;
  response.body = http::make_bytes(to_yaml(*value, KeyOrder::sorted));
  // What follows it says which kind the document is.
  response.headers.set("Content-Type", std::string(yaml_type) + type.substr(json_type.size()));
}

}  // namespace fairway::apiserver::rest
