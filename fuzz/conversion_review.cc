// SPDX-License-Identifier: Apache-2.0

// Whatever a review says: no crash, an answer that is JSON, and one that an API server would take: the same
// uid, as many objects as were sent, in their order, each of the desired version with the metadata it had.
// AdmissionReviews go the same way.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "conversion/converters.h"
#include "conversion/internal/review.h"
#include "conversion/webhook.h"
#include "k8s/equality.h"
#include "webhook/admission.h"

namespace {

using namespace fairway;

void require(bool condition) {
  if (!condition) std::abort();
}

Result<k8s::Dynamic> upgrade(k8s::Dynamic object) {
  if (object.flag("spec.refused")) return conversion::invalid_field("spec.refused", "refused");
  if (const json::Value* size = object.find("spec.size")) {
    json::Value moved = *size;
    object.erase("spec.size");
    object.set("spec.capacity.size", std::move(moved));
  }
  return object;
}

Result<k8s::Dynamic> downgrade(k8s::Dynamic object) {
  if (const json::Value* size = object.find("spec.capacity.size")) {
    json::Value moved = *size;
    object.set("spec.size", std::move(moved));
  }
  object.erase("spec.capacity");
  object.erase("spec.mode");
  for (k8s::Editor& port : object.edit_items("spec.ports")) port.erase("protocol");
  return object;
}

const conversion::Converters& converters() {
  static const conversion::Converters& made = [] -> const conversion::Converters& {
    static conversion::Converters converters;
    converters.kind("g.io", "Kept").step("v1", "v2", upgrade, downgrade).same("v2", "v3").keep_lost_fields();
    converters.kind("g.io", "Lost")
        .step("v1", "v2", upgrade, downgrade)
        .defaults("v2", [](k8s::Dynamic& object) { object.set("spec.mode", "slow"); })
        .validates("v2", [](const k8s::Dynamic& object, const k8s::Dynamic* old) -> Result<void> {
          if (old != nullptr && old->text("spec.mode") != object.text("spec.mode")) {
            return conversion::invalid_field("spec.mode", "it cannot change");
          }
          return {};
        });
    require(converters.prepare().has_value());
    return converters;
  }();
  return made;
}

void check_object(const json::Value& before, const json::Value& after, std::string_view desired) {
  require(after.is_object());
  if (json::find_string(before, "apiVersion") == desired) return;  // it was sent back as it came
  require(json::find_string(after, "apiVersion") == desired);
  require(json::find_string(after, "kind") == json::find_string(before, "kind"));
  const json::Value *old = json::find(before, "metadata"), *now = json::find(after, "metadata");
  require(old != nullptr && old->is_object() && now != nullptr && now->is_object());
  for (const auto& member : old->get_object()) {
    if (member.key() == "labels" || member.key() == "annotations") continue;
    const json::Value* kept = now->get_object().if_contains(member.key());
    require(kept != nullptr && k8s::equal(*kept, member.value()));
  }
  for (const std::string_view field : {"labels", "annotations"}) {
    const json::Value* entries = json::find(*now, field);
    if (entries == nullptr || json::find(*old, field) != nullptr) continue;
    for (const auto& member : entries->as_object()) require(member.value().is_string());
  }
}

void check_conversion(std::string_view text, const json::Value* review) {
  const conversion::ReviewReply reply = conversion::answer_review(converters(), text);
  const auto body = json::parse(reply.body);
  require(body && body->is_object());
  if (reply.http_status != 200) return require(json::find_string(*body, "kind") == "Status");
  require(review != nullptr);
  const json::Value &request = review->at("request"), &response = body->at("response");
  require(response.at("uid") == request.at("uid"));
  require(body->at("apiVersion") == review->at("apiVersion"));
  const json::Array& converted = response.at("convertedObjects").as_array();
  if (json::find_string(response.at("result"), "status") != "Success") {
    return require(!reply.error.empty() && converted.empty());
  }
  const json::Value* sent = json::find(request, "objects");
  if (sent == nullptr || sent->is_null()) return require(converted.empty());
  require(sent->as_array().size() == converted.size());
  for (std::size_t i = 0; i < converted.size(); ++i) {
    check_object(sent->as_array()[i], converted[i], *json::find_string(request, "desiredAPIVersion"));
  }
}

void check_admission(std::string_view text) {
  for (const auto& answer : {conversion::default_object, conversion::validate_object}) {
    const auto handler = [&](const webhook::AdmissionRequest& request) {
      return answer(converters(), request);
    };
    const webhook::AdmissionReply reply = webhook::answer_admission(handler, text);
    const auto body = json::parse(reply.body);
    require(body && body->is_object());
    require(reply.http_status == 200 || reply.http_status == 400);
    if (reply.http_status == 200) require(body->at("response").at("allowed").as_bool() == reply.allowed);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65'536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto review = json::parse(text);
  check_conversion(text, review ? &*review : nullptr);
  check_admission(text);
  return 0;
}
