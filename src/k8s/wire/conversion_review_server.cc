// SPDX-License-Identifier: Apache-2.0

// The API server's side of a ConversionReview: the checks of apiextensions-apiserver's webhook_converter.go.
#include <algorithm>
#include <iterator>

#include "base/quoted_text.h"
#include "base/text.h"
#include "k8s/names.h"
#include "k8s/view.h"
#include "k8s/wire/conversion_review.h"
#include "k8s/wire/field_error.h"

namespace fairway::k8s {

namespace {

constexpr std::string_view review_kind = "ConversionReview";
constexpr std::size_t max_annotation_bytes = std::size_t{256} << 10;

namespace failure {
constexpr std::string_view call = "conversion_webhook_call_failure",
                           malformed = "conversion_webhook_malformed_response_failure",
                           partial = "conversion_webhook_partial_response_failure",
                           invalid_object = "conversion_webhook_invalid_converted_object_failure";
}  // namespace failure

std::string_view api_version_of(ConversionVersion version) {
  return version == ConversionVersion::v1 ? "apiextensions.k8s.io/v1" : "apiextensions.k8s.io/v1beta1";
}

/// Returns the name of a value's type in Go.
std::string_view go_type(const json::Value& value) {
  if (value.is_null()) return "<nil>";
  if (value.is_bool()) return "bool";
  if (value.is_string()) return "string";
  if (value.is_array()) return "[]interface {}";
  if (value.is_object()) return "map[string]interface {}";
  return value.is_double() ? "float64" : "int64";
}

std::unexpected<std::string> bad(std::string why) {
  return std::unexpected(std::move(why));
}
using Checked = std::expected<void, std::string>;

Checked same(std::string_view what, std::string_view before, std::string_view after) {
  if (before == after) return {};
  return bad("must have the same " + std::string(what) + ": " + printable(before, 300) +
             " != " + printable(after, 300));
}

/// Checks labels or annotations that the webhook changed: they must be valid.
Checked check_entries(std::string_view member, const json::Object& entries) {
  const bool labels = member == "labels";
  const std::string field = labels ? "metadata.labels" : "metadata.annotation";
  std::vector<FieldError> errors;
  std::size_t bytes = 0;
  for (const auto& [key, value] : entries) {
    const std::string_view name = key, text = value.get_string();
    bytes += name.size() + text.size();
    for (const std::string& fault : labels ? check_qualified_name(name) : check_annotation_key(name)) {
      errors.push_back(FieldError::invalid(field, json::Value(name), fault));
    }
    if (!labels) continue;
    for (const std::string& fault : check_label_value(text)) {
      errors.push_back(FieldError::invalid(field, json::Value(text), fault));
    }
  }
  if (!labels && bytes > max_annotation_bytes) {
    errors.push_back(FieldError::too_long(field, max_annotation_bytes));
  }
  if (!errors.empty()) return bad(to_string(errors));
  return {};
}

/// Restores the original metadata of an object, except for its labels and annotations.
Checked restore_metadata(const json::Object& original, json::Object& converted) {
  json::Value* own = converted.if_contains("metadata");
  if (own == nullptr) return bad("missing metadata in converted object");
  if (!own->is_object()) {
    return bad("invalid metadata of type " + std::string(go_type(*own)) + " in converted object");
  }
  const json::Value* before = original.if_contains("metadata");
  if (before != nullptr && !before->is_object()) {
    return bad("invalid metadata of type " + std::string(go_type(*before)) + " in input object");
  }
  json::Object metadata = before != nullptr ? before->get_object() : json::Object{};
  for (const std::string_view member : {"labels", "annotations"}) {
    json::Value* entries = own->get_object().if_contains(member);
    if (entries == nullptr || entries->is_null()) {
      metadata.erase(member);
      continue;
    }
    if (!entries->is_object()) {
      return bad("invalid metadata." + std::string(member) + " of type " + std::string(go_type(*entries)) +
                 " in converted object");
    }
    for (const auto& [key, value] : entries->get_object()) {
      if (value.is_string()) continue;
      return bad("metadata." + std::string(member) + "[" + printable(std::string_view(key), 300) +
                 "] must be a string, but is " + std::string(go_type(value)) + " in converted object");
    }
    const json::Value* old = metadata.if_contains(member);
    if (old != nullptr && !old->is_object() && !old->is_null()) {
      return bad("invalid metadata." + std::string(member) + " of type " + std::string(go_type(*old)) +
                 " in original object");
    }
    const bool unchanged = old != nullptr && old->is_object() ? old->get_object() == entries->get_object()
                                                              : entries->get_object().empty();
    if (!unchanged) {
      if (auto checked = check_entries(member, entries->get_object()); !checked) return checked;
    }
    metadata[member] = std::move(*entries);
  }
  *own = std::move(metadata);
  return {};
}

/// Reads one response. Errors have kube-apiserver's wording, which differs between a list's items and an
/// object.
class ResponseReader {
 public:
  explicit ResponseReader(const ConversionQuestion& question)
      : question_(question), doing_("conversion webhook for " + question.of.to_string() + " ") {}

  std::expected<std::vector<json::Object>, ConversionFault> read(std::string_view body) {
    auto review = json::parse(body);
    if (!review) return fault(failure::call, "failed: " + review.error().message);
    bool is_refusal = false;
    auto objects = converted_objects(*review, is_refusal);
    if (!objects) return fault(failure::malformed, "failed: " + objects.error(), is_refusal);
    if (objects->size() != question_.objects.size()) {
      return fault(failure::partial, "returned " + std::to_string(objects->size()) + " objects, expected " +
                                         std::to_string(question_.objects.size()));
    }
    std::vector<json::Object> result;
    result.reserve(objects->size());
    for (std::size_t i = 0; i < objects->size(); ++i) {
      auto checked = check((*objects)[i], i);
      if (!checked) {
        ConversionFault invalid =
            fault(failure::invalid_object, "returned invalid " + checked.error()).error();
        invalid.is_about_object = true;
        return std::unexpected(std::move(invalid));
      }
      result.push_back(std::move((*objects)[i].get_object()));
    }
    return result;
  }

 private:
  std::unexpected<ConversionFault> fault(std::string_view type, const std::string& why,
                                         bool is_refusal = false) const {
    return std::unexpected(ConversionFault{type, doing_ + why, is_refusal});
  }

  std::expected<json::Array, std::string> converted_objects(json::Value& review, bool& is_refusal) const {
    if (!review.is_object()) return bad("the answer is no JSON object");
    const View root(review.get_object());
    if (question_.version == ConversionVersion::v1 &&
        (root.text("apiVersion") != api_version_of(question_.version) || root.text("kind") != review_kind)) {
      return bad("expected webhook response of " + std::string(api_version_of(question_.version)) +
                 ", Kind=" + std::string(review_kind) + ", got " + printable(root.text("apiVersion"), 80) +
                 ", Kind=" + printable(root.text("kind"), 80));
    }
    json::Value* member = review.get_object().if_contains("response");
    if (member == nullptr || member->is_null()) return bad("no response provided");
    if (!member->is_object()) return bad("response is no object");
    const View response(member->get_object());
    if (question_.version == ConversionVersion::v1 && response.text("uid") != question_.uid) {
      return bad("expected response.uid=" + quote(question_.uid) + ", got " + quote(response.text("uid")));
    }
    if (const std::string_view status = response.text("result.status"); status != "Success") {
      is_refusal = !status.empty();
      const std::string_view message = response.text("result.message");
      return bad(!message.empty()
                     ? std::string(message)
                     : "response.result.status was '" + printable(status, 80) + "', not 'Success'");
    }
    json::Value* objects = member->get_object().if_contains("convertedObjects");
    if (objects == nullptr || objects->is_null()) return json::Array{};
    if (!objects->is_array()) return bad("response.convertedObjects is no list");
    return std::move(objects->get_array());
  }

  Checked check(json::Value& value, std::size_t index) const {
    // "converted object at index 3", or, where there is but one, "object at index 0".
    const std::string at = " at index " + std::to_string(index);
    const std::string object_at = (question_.is_list ? "converted object" : "object") + at + ": ";
    if (!value.is_object()) return bad(object_at + "it is no object but " + std::string(go_type(value)));
    const json::Object& original = *question_.objects[index];
    json::Object& converted = value.get_object();
    const View before(original), after(converted);
    if (after.text("kind").empty()) return bad(object_at + "Object 'Kind' is missing");
    if (after.text("apiVersion") != question_.desired.to_string()) {
      return bad(object_at + "invalid groupVersion (expected " + question_.desired.to_string() +
                 ", received " + printable(after.text("apiVersion"), 300) + ")");
    }
    if (after.text("kind") != before.text("kind")) {
      return bad(object_at + "invalid kind (expected " + std::string(before.text("kind")) + ", received " +
                 printable(after.text("kind"), 300) + ")");
    }
    const std::string whole = question_.is_list ? object_at : "object: ";
    for (const std::string_view member : {"name", "namespace", "uid"}) {
      const std::string path = "metadata." + std::string(member);
      auto checked = same(member == "uid" ? "UID" : member, before.text(path), after.text(path));
      if (!checked) return bad(whole + checked.error());
    }
    auto restored = restore_metadata(original, converted);
    if (!restored) {
      return bad((question_.is_list ? "metadata in object" + at + ": " : "metadata: ") + restored.error());
    }
    return {};
  }

  const ConversionQuestion& question_;
  const std::string doing_;
};

}  // namespace

std::optional<ConversionVersion> choose_conversion_version(const std::vector<std::string_view>& versions) {
  for (const std::string_view version : versions) {
    if (version == "v1") return ConversionVersion::v1;
    if (version == "v1beta1") return ConversionVersion::v1beta1;
  }
  return std::nullopt;
}

bool needs_conversion(const json::Object& object, std::string_view desired_api_version) {
  const View view(object);
  const bool is_empty = object.size() == 2 && object.contains("kind") && object.contains("apiVersion");
  return !is_empty && view.text("apiVersion") != desired_api_version;
}

std::string write_conversion_request(const ConversionQuestion& question) {
  std::string text = R"({"kind":"ConversionReview","apiVersion":)";
  json::append_quoted(text, api_version_of(question.version));
  text += R"(,"request":{"uid":)";
  json::append_quoted(text, question.uid);
  text += R"(,"desiredAPIVersion":)";
  json::append_quoted(text, question.desired.to_string());
  text += R"(,"objects":[)";
  for (std::size_t i = 0; i < question.objects.size(); ++i) {
    if (i > 0) text += ',';
    json::append_text(text, *question.objects[i]);
  }
  text += "]}}";
  return text;
}

std::expected<std::vector<json::Object>, ConversionFault> read_conversion_response(
    std::string_view body, const ConversionQuestion& question) {
  return ResponseReader(question).read(body);
}

}  // namespace fairway::k8s
