#include "gateway/internal/parameters.h"

#include "base/text.h"

namespace fairway::gateway {

namespace {

Result<bool> flag(const k8s::View& spec, const std::string& key) {
  if (!spec.has(key)) return false;
  if (const auto value = spec.find_flag(key)) return *value;
  return fail(ErrorCode::invalid, "spec." + key + " must be true or false");
}

}  // namespace

Result<Parameters> read_parameters(const Objects& objects, const k8s::View& ref, std::string_view local) {
  const std::string what = printable(ref.text("kind")) + "." + printable(ref.text("group"));
  if (ref.text("group") != "fairway.dev" || ref.text("kind") != "GatewayParameters")
    return fail(ErrorCode::invalid,
                "parametersRef names " + what + ", and must name a GatewayParameters.fairway.dev");
  const std::string_view in = ref.text("namespace", local);
  const std::string name = "GatewayParameters " + std::string(in) + "/" + printable(ref.text("name"));
  const k8s::Dynamic* found = objects.find("fairway.dev", "GatewayParameters", in, ref.text("name"));
  if (found == nullptr) return fail(ErrorCode::not_found, name + " does not exist");
  const k8s::View spec = found->at("spec");
  for (const auto& member : spec.json()) {
    const std::string_view key(member.key());
    if (key != "ready" && key != "deprecatedConditions" && key != "accessLog" && key != "service")
      return fail(ErrorCode::invalid, name + ": spec has the unknown key \"" + printable(key) +
                                          "\"; there are ready, deprecatedConditions, accessLog, service");
  }
  const auto ready = flag(spec, "ready"), deprecated = flag(spec, "deprecatedConditions");
  for (const auto* read : {&ready, &deprecated}) {
    if (!*read) return fail(read->error().within(name));
  }
  return Parameters{.ready = *ready, .deprecated_conditions = *deprecated};
}

}  // namespace fairway::gateway
