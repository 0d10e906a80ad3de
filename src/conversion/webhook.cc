// SPDX-License-Identifier: Apache-2.0

#include "conversion/webhook.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/clock.h"
#include "base/log.h"
#include "conversion/internal/quarantine_reports.h"
#include "conversion/internal/review.h"
#include "conversion/internal/review_metrics.h"
#include "k8s/quarantine.h"
#include "webhook/exchange.h"

namespace fairway::conversion {

namespace {

http::Response answer_conversion(const Converters& converters, ReviewMetrics& metrics,
                                 QuarantineReports& quarantined, const Clock& clock,
                                 const http::Request& request) {
  if (auto refused = webhook::refuse_media_type(request)) return *std::move(refused);
  const SteadyTime begin = clock.steady();
  ReviewReply reply = answer_review(converters, request.body);
  metrics.count(reply, clock.steady() - begin);
  if (!reply.error.empty()) log::warning("conversion failed", {{"error", reply.error}});
  if (!reply.quarantined.empty()) quarantined.record(reply.quarantined, unnamed_quarantined(reply));
  return http::Response::json(reply.http_status, std::move(reply.body));
}

/// The gauges of the kinds that are quarantined, by name: 1 while their guard is effective.
using GuardGauges = std::map<std::string, metrics::Gauge>;

/// The time for which a guard counts as effective after it was last seen to be.
constexpr std::chrono::seconds guard_counts{30};

/// Ends the quarantine of kinds whose guard was not seen for long: the thread that looks at it may hang.
void expire_guards(const Converters& converters, GuardGauges& gauges, SteadyTime now) {
  for (const KindConverters& kind : converters.kinds()) {
    if (!kind.quarantines() || !kind.expire_guard(now)) continue;
    log::warning("objects that do not convert are not quarantined: it is not known whether they are guarded",
                 {{"kind", kind.name()}});
    if (auto gauge = gauges.find(kind.name()); gauge != gauges.end()) gauge->second.set(0);
  }
}

webhook::Handler conversion_handler(const std::string& path,
                                    const std::shared_ptr<const Converters>& converters,
                                    metrics::Registry& metrics, const Clock& clock,
                                    const OnQuarantined& on_quarantined) {
  webhook::Conversion conversion;
  conversion.converts = [converters](std::string_view group, std::string_view kind) {
    return converters->find(group, kind) != nullptr;
  };
  conversion.reaches = [converters](const k8s::CustomResourceDefinition& on_server) {
    return converters->check(on_server);
  };
  GuardGauges guarded;
  for (const KindConverters& kind : converters->kinds()) {
    if (!kind.quarantines()) continue;
    conversion.guarded.push_back({kind.group(), kind.kind()});
    // The server says so once it has seen it.
    kind.set_guard(false);
    guarded[kind.name()] = metrics.gauge("fairway_conversion_quarantine_guarded",
                                         "1 if the webhook that guards the quarantine of a kind is effective",
                                         {{"group", kind.group()}, {"kind", kind.kind()}});
    guarded[kind.name()].set(0);
  }
  conversion.on_guard = [converters, &clock, guarded](const k8s::GroupKind& of, bool effective) mutable {
    const KindConverters* kind = converters->find(of.group, of.kind);
    if (kind == nullptr) return;
    kind->set_guard(effective, clock.steady() + guard_counts);
    if (auto gauge = guarded.find(kind->name()); gauge != guarded.end()) gauge->second.set(effective ? 1 : 0);
  };
  const auto counts = std::make_shared<ReviewMetrics>(*converters, metrics);
  const auto quarantined = std::make_shared<QuarantineReports>(clock, on_quarantined);
  return {.path = path,
          .answer =
              [converters, counts, quarantined, &clock, guarded](const http::Request& request) mutable {
                expire_guards(*converters, guarded, clock.steady());
                return answer_conversion(*converters, *counts, *quarantined, clock, request);
              },
          .max_body_bytes = webhook::max_conversion_bytes,
          .conversion = std::move(conversion)};
}

/// The object of a request and its kind's converters, if the request is to be answered by them.
struct Subject {
  const KindConverters* kind = nullptr;
  k8s::Dynamic object;
};

Subject find_subject(const Converters& converters, const webhook::AdmissionRequest& request,
                     std::string_view subresource = {}) {
  using webhook::AdmissionOperation;
  const bool is_write =
      request.operation() == AdmissionOperation::create || request.operation() == AdmissionOperation::update;
  if (!is_write || request.subresource() != subresource || request.object() == nullptr) return {};
  Subject subject{nullptr, k8s::Dynamic(*request.object())};
  const k8s::GroupVersionKind kind = subject.object.group_version_kind();
  subject.kind = converters.find(kind.group, kind.kind);
  return subject;
}

/// Returns the versions whose writes a kind's webhook has to see; none: it needs no webhook. A kind that
/// guards lost fields of status needs all of them: its annotation must be checked in the version that is
/// written, and an unseen version would be one in which whoever may write the object can write its status.
std::vector<std::string> seen_versions(const KindConverters& kind, webhook::AdmissionWebhook::Kind what) {
  if (what == webhook::AdmissionWebhook::Kind::mutating) return kind.versions_with_defaults();
  return kind.guards_lost_status() ? std::vector<std::string>{"*"} : kind.versions_with_validators();
}

/// Returns a webhook for each definition whose kind has defaults, or something to check.
std::vector<webhook::AdmissionWebhook> admission_webhooks(
    const Converters& converters, const std::vector<k8s::CustomResourceDefinition>& definitions,
    webhook::AdmissionWebhook::Kind what) {
  std::vector<webhook::AdmissionWebhook> webhooks;
  for (const k8s::CustomResourceDefinition& definition : definitions) {
    const KindConverters* kind = converters.find(definition.group(), definition.defined_kind());
    if (kind == nullptr) continue;
    auto versions = seen_versions(*kind, what);
    if (versions.empty()) continue;
    webhook::AdmissionWebhook wanted;
    wanted.kind = what;
    wanted.name = definition.name();
    wanted.group = definition.group();
    wanted.versions = std::move(versions);
    wanted.resources = {std::string(definition.plural())};
    webhooks.push_back(std::move(wanted));
  }
  return webhooks;
}

/// Returns the guard of each kind that is quarantined. It sees each write in every version: an unseen one
/// would be one in which the marks can be made up.
std::vector<webhook::AdmissionWebhook> guards_of(
    const Converters& converters, const std::vector<k8s::CustomResourceDefinition>& definitions,
    bool sees_scale) {
  std::vector<webhook::AdmissionWebhook> guards;
  for (const k8s::CustomResourceDefinition& definition : definitions) {
    const KindConverters* kind = converters.find(definition.group(), definition.defined_kind());
    if (kind == nullptr || !kind->quarantines()) continue;
    const std::string plural(definition.plural());
    webhook::AdmissionWebhook wanted;
    wanted.name = webhook::guard_name(definition);
    wanted.group = definition.group();
    wanted.versions = {"*"};
    wanted.resources = {plural, plural + "/status"};
    if (sees_scale && !kind->scaled_resource().empty())
      wanted.resources.push_back(kind->scaled_resource() + "/scale");
    wanted.guards_conversion = true;
    guards.push_back(std::move(wanted));
  }
  return guards;
}

/// Returns the quarantined kind whose scale a request writes; nullptr if it is none.
const KindConverters* scaled_kind(const Converters& converters, const webhook::AdmissionRequest& request) {
  if (request.subresource() != "scale") return nullptr;
  const k8s::GroupVersionResource resource = request.resource();
  for (const KindConverters& kind : converters.kinds()) {
    if (kind.group() == resource.group && kind.scaled_resource() == resource.resource) return &kind;
  }
  return nullptr;
}

/// Answers a write of an object's scale, by the object as it is.
webhook::AdmissionAnswer validate_scale(const KindConverters& kind, const ReadObject& read,
                                        const webhook::AdmissionRequest& request) {
  const k8s::Key key{std::string(request.namespace_name()), std::string(request.name())};
  const auto object = read(request.resource(), key);
  if (!object) {
    // The API server says so itself.
    if (object.error().code == ErrorCode::not_found) return webhook::AdmissionAnswer::allow();
    return webhook::AdmissionAnswer::deny(
        object.error().within("reading " + key.to_string() + ", to see whether it is quarantined"));
  }
  const auto guarded = kind.check_quarantine(*object, &*object);
  return guarded ? webhook::AdmissionAnswer::allow() : webhook::AdmissionAnswer::deny(guarded.error());
}

/// Returns whether an API server has converted the object of a request to a version that the rules name.
bool was_converted(const webhook::AdmissionRequest& request) {
  const std::string_view written = request.text("requestKind.version");
  return !written.empty() && written != request.kind().version;
}

webhook::AdmissionAnswer deny_converted(const webhook::AdmissionRequest& request) {
  // The annotation has been removed by now, and cannot be checked.
  return webhook::AdmissionAnswer::deny(
      k8s::reason::forbidden, "the object was written in " +
                                  std::string(request.text("requestKind.version")) +
                                  ", in which this webhook must see it: name all versions in its rules, or "
                                  "set matchPolicy: Exact");
}

/// Answers a write of an object of a kind, or of its status.
webhook::AdmissionAnswer validate_subject(const Subject& subject, const webhook::AdmissionRequest& request) {
  std::optional<k8s::Dynamic> old;
  if (request.old_object() != nullptr) old.emplace(*request.old_object());
  const k8s::Dynamic* const before = old ? &*old : nullptr;
  if (request.subresource() == "status") {
    const auto guarded = subject.kind->check_quarantine(subject.object, before);
    return guarded ? webhook::AdmissionAnswer::allow() : webhook::AdmissionAnswer::deny(guarded.error());
  }
  if (auto valid = subject.kind->validate(subject.object, before); !valid)
    return webhook::AdmissionAnswer::deny(valid.error());
  auto answer = webhook::AdmissionAnswer::allow();
  answer.warnings = subject.kind->warnings_of(subject.object, before);
  return answer;
}

}  // namespace

webhook::AdmissionAnswer default_object(const Converters& converters,
                                        const webhook::AdmissionRequest& request) {
  Subject subject = find_subject(converters, request);
  if (subject.kind == nullptr) return webhook::AdmissionAnswer::allow();
  // Defaults would be content that a quarantined object does not have, whichever replica has quarantined it.
  if (subject.kind->is_served_without_content(subject.object)) return webhook::AdmissionAnswer::allow();
  subject.kind->fill_defaults(subject.object);
  return webhook::AdmissionAnswer::change(subject.object.release());
}

webhook::AdmissionAnswer validate_object(const Converters& converters,
                                         const webhook::AdmissionRequest& request) {
  const bool is_status = request.subresource() == "status";
  const Subject subject = find_subject(converters, request, is_status ? "status" : "");
  if (subject.kind == nullptr) return webhook::AdmissionAnswer::allow();
  if (was_converted(request)) {
    // Lost fields of the status are written with the object alone.
    if (subject.kind->guards_lost_status() && !is_status) return deny_converted(request);
    // The guard sees it as it was written; here it may have no content to validate.
    const bool was_quarantined =
        request.old_object() != nullptr && k8s::is_quarantined(k8s::Dynamic(*request.old_object()));
    if (subject.kind->is_quarantining() && was_quarantined) return webhook::AdmissionAnswer::allow();
  }
  return validate_subject(subject, request);
}

webhook::AdmissionAnswer guard_object(const Converters& converters,
                                      const webhook::AdmissionRequest& request) {
  const bool is_status = request.subresource() == "status";
  const Subject subject = find_subject(converters, request, is_status ? "status" : "");
  if (subject.kind == nullptr) return webhook::AdmissionAnswer::allow();
  if (!subject.kind->quarantines()) {
    return webhook::AdmissionAnswer::deny(
        k8s::reason::forbidden, "this replica does not quarantine " + subject.kind->name() +
                                    ", and another one does: writes are refused until all do, or none");
  }
  return was_converted(request) ? deny_converted(request) : validate_subject(subject, request);
}

namespace {

/// The handler of the guards of all kinds that are quarantined.
webhook::Handler guard_handler(const std::shared_ptr<const Converters>& converters,
                               const std::vector<k8s::CustomResourceDefinition>& definitions,
                               metrics::Registry& metrics, const std::string& path, const ReadObject& read) {
  const bool sees_scale = read != nullptr;
  const bool blocks = sees_scale && std::ranges::any_of(converters->kinds(), [](const KindConverters& kind) {
                        return !kind.scaled_resource().empty();
                      });
  return webhook::admission_handler(
      path,
      [converters, read](const webhook::AdmissionRequest& request) {
        const KindConverters* scaled = read ? scaled_kind(*converters, request) : nullptr;
        return scaled != nullptr ? validate_scale(*scaled, read, request)
                                 : guard_object(*converters, request);
      },
      metrics, guards_of(*converters, definitions, sees_scale), blocks);
}

}  // namespace

std::vector<webhook::Handler> webhook_handlers(const std::shared_ptr<const Converters>& converters,
                                               const std::vector<k8s::CustomResourceDefinition>& definitions,
                                               metrics::Registry& metrics, const WebhookPaths& paths,
                                               Clock& clock, const QuarantineHooks& hooks) {
  std::vector<webhook::Handler> handlers;
  if (!paths.convert.empty())
    handlers.push_back(conversion_handler(paths.convert, converters, metrics, clock, hooks.on_quarantined));
  const auto add = [&](const std::string& path, webhook::AdmissionWebhook::Kind kind,
                       const webhook::AdmissionHandler& handler) {
    if (path.empty()) return;
    handlers.push_back(webhook::admission_handler(path, handler, metrics,
                                                  admission_webhooks(*converters, definitions, kind)));
  };
  add(paths.defaults, webhook::AdmissionWebhook::Kind::mutating,
      [converters](const webhook::AdmissionRequest& request) {
        return default_object(*converters, request);
      });
  add(paths.validates, webhook::AdmissionWebhook::Kind::validating,
      [converters](const webhook::AdmissionRequest& request) {
        return validate_object(*converters, request);
      });
  // Replicas that do not quarantine have no such path: API servers then refuse the write.
  if (!paths.guards.empty() && std::ranges::any_of(converters->kinds(), &KindConverters::quarantines))
    handlers.push_back(guard_handler(converters, definitions, metrics, paths.guards, hooks.read));
  return handlers;
}

}  // namespace fairway::conversion
