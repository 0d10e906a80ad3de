// SPDX-License-Identifier: Apache-2.0

// Webhook configurations and policies of anybody: validated, and evaluated where that finds nothing.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "apiserver/internal/admission/check_fields.h"
#include "apiserver/internal/admission/match_conditions.h"
#include "apiserver/internal/admission/policy.h"
#include "base/json.h"

namespace admission = fairway::apiserver::admission;
namespace json = fairway::json;
namespace k8s = fairway::k8s;

namespace {

admission::Inputs inputs() {
  admission::Inputs made;
  made.object =
      json::parse(R"({"kind":"ConfigMap","metadata":{"name":"m","labels":{"a":"b"}},"data":{"a":"1"}})")
          .value();
  made.params = json::parse(R"({"data":{"wanted":"1"}})").value();
  made.request = json::parse(R"({"operation":"CREATE","name":"m","userInfo":{"username":"bob"}})").value();
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto document = json::parse({reinterpret_cast<const char*>(data), size});
  if (!document || !document->is_object()) return 0;
  const k8s::Dynamic object(std::move(document->get_object()));
  admission::check_webhooks(object, nullptr);
  admission::check_webhooks(object, &object);
  admission::check_policy_binding(object, false);
  admission::check_policy_binding(object, true);
  admission::check_mutating_policy(object, nullptr);
  static const admission::Inputs seen = inputs();
  if (admission::check_policy(object, nullptr).empty()) admission::Policy(object).evaluate(seen);
  for (const k8s::View& webhook : object.items("webhooks")) {
    const admission::MatchConditions conditions(webhook,
                                                {.params = false, .authorizer = true, .variables = {}});
    (void)conditions.match(seen, {}, false);
  }
  return 0;
}
