#include "apiserver/rest/internal/call.h"

namespace fairway::apiserver {

bool Call::pretty() const {
  const auto asked = query.find("pretty");
  return asked && *asked != "0" && *asked != "false";
}

k8s::StatusResult<std::shared_ptr<const ObjectForm>> negotiate_form(const Call& call, bool stream) {
  const auto offers = [](const k8s::GroupVersionKind& as) {
    return k8s::is_table_or_metadata(as) && as.kind != k8s::representation::table;
  };
  auto found = k8s::negotiate(call.http.headers_joined("Accept"), offers, stream);
  if (!found) return std::unexpected(found.error());
  return std::make_shared<const ObjectForm>(call.resource, found->as);
}

}  // namespace fairway::apiserver
