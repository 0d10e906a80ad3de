// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/accepted_answer.h"

#include <string>
#include <string_view>

#include "apiserver/internal/protobuf/answer.h"
#include "base/json.h"
#include "base/yaml_text.h"
#include "k8s/object.h"
#include "k8s/wire/media_type.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::string_view json_type = "application/json", yaml_type = "application/yaml";
constexpr int least_error = 400;

void turn_to_protobuf(json::Value value, http::Response& response) {
  if (!value.is_object()) return;
  const k8s::Dynamic object(std::move(value.get_object()));
  const k8s::GroupVersionKind kind = object.group_version_kind();
  // Where it has no message, or does not fit, JSON says what there is to say.
  const auto message = protobuf::to_message(object.json(), kind);
  if (!message) return;
  response.body = http::make_bytes(protobuf::enveloped(kind, *message));
  response.headers.set("Content-Type", std::string(protobuf::media_type));
}

}  // namespace

void turn_to_accepted(const http::Request& request, http::Response& response, ProtobufOf protobuf_of) {
  if (response.stream != nullptr || response.body == nullptr) return;
  const std::string accept = request.headers_joined("Accept");
  // Most name neither.
  if (accept.find("yaml") == std::string::npos && accept.find("protobuf") == std::string::npos) return;
  const std::string type(response.headers.find("Content-Type").value_or(""));
  if (!type.starts_with(json_type) || response.headers.find("Content-Encoding")) return;
  const bool is_error = response.status >= least_error;
  const auto supports = [&](const k8s::GroupVersionKind& as) {
    return !is_error && (k8s::is_table_or_metadata(as) || k8s::is_aggregated_discovery(as));
  };
  const auto in_protobuf = [&](const k8s::GroupVersionKind& as) {
    if (as.kind.empty()) return protobuf_of == ProtobufOf::objects;
    return protobuf_of != ProtobufOf::nothing && as.kind.starts_with(k8s::representation::metadata);
  };
  const auto form = k8s::negotiate(accept, supports, false, in_protobuf);
  if (!form || (!form->protobuf && !form->yaml)) return;
  auto value = json::parse(*response.body);
  if (!value) return;
  if (form->protobuf) return turn_to_protobuf(*std::move(value), response);
  response.body = http::make_bytes(to_yaml(*value, KeyOrder::sorted));
  // What follows it says which kind the document is.
  response.headers.set("Content-Type", std::string(yaml_type) + type.substr(json_type.size()));
}

}  // namespace fairway::apiserver::rest
