// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/admit.h"

#include <string>
#include <string_view>
#include <utility>

namespace fairway::apiserver::rest {
namespace {

std::string_view text_of(k8s::FieldValidation validation) {
  if (validation == k8s::FieldValidation::ignore) return "Ignore";
  if (validation == k8s::FieldValidation::warn) return "Warn";
  return validation == k8s::FieldValidation::strict ? "Strict" : "";
}

k8s::StatusResult<std::unique_ptr<objects::WriteAdmission>> begin_admission(
    const Services& services, Call& call, const k8s::GroupVersionKind& kind,
    const k8s::WriteOptions& options) {
  if (services.extensions.admission == nullptr) return nullptr;
  json::Object shown;
  if (!options.field_manager.empty()) shown["fieldManager"] = options.field_manager;
  if (const std::string_view validation = text_of(options.validation); !validation.empty()) {
    shown["fieldValidation"] = validation;
  }
  if (options.dry_run) shown["dryRun"] = json::Array{"All"};
  return services.extensions.admission->begin({.user = call.user,
                                               .subresource = call.path.subresource,
                                               .kind = kind,
                                               .namespace_name = std::string(call.path.access_namespace()),
                                               .name = call.path.name,
                                               .dry_run = options.dry_run,
                                               .options = std::move(shown),
                                               .notes = call.notes});
}

}  // namespace

k8s::StatusResult<CallWrite> begin_write(const Services& services, Call& call,
                                         const k8s::GroupVersionKind& kind,
                                         const k8s::WriteOptions& options) {
  auto admission = begin_admission(services, call, kind, options);
  if (!admission) return std::unexpected(admission.error());
  CallWrite write{.admission = *std::move(admission)};
  write.context = {.user = call.user,
                   .field_manager = options.field_manager,
                   .verb = call.info.attributes.verb,
                   .dry_run = options.dry_run,
                   .validation = options.validation,
                   .warnings = &call.warnings,
                   .admission = write.admission.get()};
  return write;
}

k8s::StatusResult<void> admit_request(const Services& services, Call& call, k8s::Dynamic& request,
                                      const k8s::GroupVersionKind& kind, const k8s::WriteOptions& options,
                                      const std::function<k8s::StatusResult<void>()>& check) {
  const auto admission = begin_admission(services, call, kind, options);
  if (!admission) return std::unexpected(admission.error());
  if (*admission == nullptr) return check();
  if (auto admitted = (*admission)->mutate(*call.resource, request, nullptr); !admitted) return admitted;
  if (auto checked = check(); !checked) return checked;
  return (*admission)->validate(*call.resource, request, nullptr);
}

}  // namespace fairway::apiserver::rest
