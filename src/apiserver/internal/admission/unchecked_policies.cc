// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/admission/unchecked_policies.h"

#include <charconv>
#include <string_view>

#include "apiserver/internal/objects/object_text.h"

namespace fairway::apiserver::admission {

namespace {

/// Name of the stored value: a revision in decimal.
constexpr std::string_view checked_since = "admission.params-checked-since";

/// Returns the revision up to which, inclusively, no write was checked.
Result<storage::Revision> unchecked_until(storage::Storage& storage) {
  const auto kept = storage.value(checked_since);
  if (!kept) return fail(kept.error());
  if (*kept) {
    storage::Revision revision = 0;
    const std::string& text = **kept;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), revision);
    if (fault == std::errc() && end == text.data() + text.size()) return revision;
    // Not ours: all of it counts as unchecked.
  }
  const storage::Revision now = storage.revision();
  if (auto written = storage.set_value(checked_since, std::to_string(now)); !written)
    return fail(written.error());
  return now;
}

std::string parameters_of(const k8s::Dynamic& object) {
  if (object.has("spec.paramKind")) {
    return std::string(object.text("spec.paramKind.apiVersion")) +
           ", Kind=" + std::string(object.text("spec.paramKind.kind"));
  }
  return "those of policy \"" + std::string(object.text("spec.policyName")) + "\"";
}

}  // namespace

Result<std::vector<std::string>> unchecked_policies(storage::Storage& storage,
                                                    const resources::ResourceRegistry& registry) {
  const auto until = unchecked_until(storage);
  if (!until) return fail(until.error());
  std::vector<std::string> found;
  for (const char* kind : {"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding",
                           "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"}) {
    const resources::ServedResourcePtr resource =
        registry.find_kind({"admissionregistration.k8s.io", "v1", kind});
    if (resource == nullptr) continue;
    const auto all = storage.list({.resource = resource->storage});
    if (!all) return fail(all.error().error);
    for (const storage::RecordPtr& record : all->records) {
      if (record->revision() > *until) continue;
      const k8s::Dynamic object = resources::parse(*record);
      if (!object.has("spec.paramKind") && !object.has("spec.paramRef")) continue;
      found.push_back(std::string(kind) + " \"" + std::string(object.name()) +
                      "\" (parameters: " + parameters_of(object) + ")");
    }
  }
  return found;
}

}  // namespace fairway::apiserver::admission
