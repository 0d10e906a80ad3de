// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/attachment/parameters.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/text.h"

namespace fairway::gateway {

namespace {

constexpr auto keys =
    std::to_array<std::string_view>({"ready", "deprecatedConditions", "accessLog", "service", "connections"});

Result<bool> flag(const k8s::View& spec, const std::string& key) {
  if (!spec.has(key)) return false;
  if (const auto value = spec.find_flag(key)) return *value;
  return fail(ErrorCode::invalid, "spec." + key + " must be true or false");
}

}  // namespace

Result<Parameters> read_parameters(const Objects& objects, const k8s::View& ref, std::string_view local,
                                   LogFiles files) {
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
    if (std::ranges::find(keys, key) == keys.end())
      return fail(ErrorCode::invalid, name + ": spec has the unknown key \"" + printable(key) +
                                          "\"; there are " +
                                          join(std::vector<std::string>(keys.begin(), keys.end()), ", "));
  }
  const auto ready = flag(spec, "ready"), deprecated = flag(spec, "deprecatedConditions");
  for (const auto* read : {&ready, &deprecated}) {
    if (!*read) return fail(read->error().within(name));
  }
  Parameters parameters{.ready = *ready, .deprecated_conditions = *deprecated};
  if (const json::Value* log = spec.find("accessLog")) {
    parameters.names_access_log = true;
    if (*log != json::Value(false)) {
      auto read = read_access_log(*log, files);
      if (!read) return fail(read.error().within(name));
      parameters.access_log = *std::move(read);
    }
  }
  if (const json::Value* connections = spec.find("connections")) {
    const auto read = read_connection_times(*connections);
    if (!read) return fail(read.error().within(name));
    parameters.connections = *read;
  }
  if (spec.has("service")) {
    // Of its own namespace, so that nobody takes the addresses of others.
    const std::string_view service = spec.at("service").text("name");
    const bool has_more = spec.at("service").json().size() > 1;
    if (service.empty() || has_more)
      return fail(ErrorCode::invalid,
                  name + ": spec.service must have the name of a Service of its namespace, and nothing else");
    parameters.service = k8s::Key{std::string(in), std::string(service)};
  }
  return parameters;
}

std::optional<Parameters> parameters_of(const Objects& objects, const k8s::Dynamic& gateway) {
  const k8s::Dynamic* of_class = objects.find("GatewayClass", "", gateway.text("spec.gatewayClassName"));
  if (of_class == nullptr || of_class->text("spec.controllerName") != controller_name) return std::nullopt;
  const auto read = [&](const k8s::Dynamic& object, const char* path, std::string_view local,
                        LogFiles files) {
    if (!object.has(path)) return Result<Parameters>(Parameters{});
    return read_parameters(objects, object.at(path), local, files);
  };
  // A reference to an object of a namespace should name it; where there are no namespaces, it is "default".
  const auto by_class = read(*of_class, "spec.parametersRef", "default", LogFiles::allowed);
  if (!by_class || !gateway.has("spec.infrastructure.parametersRef"))
    return by_class ? std::optional(*by_class) : std::nullopt;
  auto own = read(gateway, "spec.infrastructure.parametersRef", gateway.namespace_name(), LogFiles::refused);
  if (!own) return std::nullopt;
  own->inherit(*by_class);
  return *own;
}

}  // namespace fairway::gateway
