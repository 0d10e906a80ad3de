// SPDX-License-Identifier: Apache-2.0

#include "conversion/internal/migration/conversion_run.h"

#include <algorithm>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "conversion/internal/migration/kind_migration.h"
#include "k8s/quarantine.h"
#include "kube/controller/update_status.h"

namespace fairway::conversion {

namespace {

constexpr std::size_t longest_message = 1'000;
/// Objects that were left out which are read to see whether they are quarantined, and those that are named.
constexpr std::size_t most_asked_for_quarantine = 200, most_named_quarantined = 10;
/// Objects after which the kind is taken for one that is not quarantined, if none of them is.
constexpr std::size_t most_asked_in_vain = 10;
/// Limits on the delay before a failed Conversion is retried, which is the time that it has been failing.
constexpr std::chrono::nanoseconds shortest_delay = std::chrono::minutes(1),
                                   longest_delay = std::chrono::hours(1);

/// The reason of Accepted=False for a plan's error; empty if a retry may help.
std::string_view refusal_reason(const Error& error) {
  switch (error.code) {
    case ErrorCode::not_found:
      return "KindNotFound";
    case ErrorCode::conflict:
      return "NotStorageVersion";
    case ErrorCode::invalid:
      return "Invalid";
    default:
      return "";
  }
}

}  // namespace

const k8s::GroupVersionResource& conversions() {
  static const k8s::GroupVersionResource resource = Conversion::resource.group_version_resource();
  return resource;
}

Result<std::optional<kube::Requeue>> ConversionRun::prepare(const std::stop_token& stop) {
  stop_ = stop;
  const auto completed = k8s::find_condition(object_, "Completed");
  if (completed && completed->is_true() && completed->observed_generation() == object_.generation())
    return kube::done();
  auto request = object_.request();
  if (!request) return refuse("Invalid", request.error().message);
  request_ = *std::move(request);
  auto plan = plan_migration(objects_, request_, limits());
  if (!plan) {
    const std::string_view reason = refusal_reason(plan.error());
    if (reason.empty()) return definitions_not_read(plan.error());
    return refuse(reason, plan.error().message);
  }
  resume(*plan, object_.kinds());
  kinds_ = *std::move(plan);
  if (const auto left = longest_settle(); left > left.zero()) return settle(left);
  return std::nullopt;
}

std::vector<std::string> ConversionRun::definitions() const {
  std::vector<std::string> names;
  for (const KindProgress& kind : kinds_) names.push_back(kind.definition);
  return names;
}

Result<void> ConversionRun::write_pending(const std::string& why, const std::stop_token& stop) {
  stop_ = stop;
  return write([&](k8s::Conditions& conditions) { set_in_progress(conditions, "Pending", why); });
}

/// Returns the unfinished kinds in their order, those that had an error last: a kind whose requests are not
/// answered does not hold up the others.
std::vector<KindProgress*> ConversionRun::unfinished_in_order() {
  std::vector<KindProgress*> result;
  for (const bool with_error : {false, true}) {
    for (KindProgress& kind : kinds_) {
      if (!kind.finished && kind.last_error.empty() != with_error) result.push_back(&kind);
    }
  }
  return result;
}

Result<void> ConversionRun::write_stalled(std::chrono::nanoseconds timeout, const std::stop_token& stop) {
  stop_ = stop;
  const std::string why = "no request was answered for " + format_duration(timeout);
  if (const auto left = unfinished_in_order(); !left.empty()) left.front()->last_error = why;
  return write([&](k8s::Conditions& conditions) {
    conditions.set_true("Accepted", "Accepted", "");
    conditions.set_false("Completed", "Stalled", why + "; it continues after the migrations that wait");
  });
}

Result<kube::Requeue> ConversionRun::migrate(const std::stop_token& stop) {
  stop_ = stop;
  if (auto written = write_progress(); !written) return fail(written.error());
  for (KindProgress* const one : unfinished_in_order()) {
    KindProgress& kind = *one;
    bool status_written = true;
    const auto done = migrate_kind(
        objects_, request_, pace_, *rate_, *activity_, kind,
        [&](const KindProgress&) {
          auto written = write_progress();
          status_written = written.has_value();
          return written;
        },
        stop_);
    if (done) {
      kind.last_error.clear();
      continue;
    }
    // Stopped, or the Conversion is another one, or its status cannot be written: it continues from its
    // status.
    if (!status_written || done.error().code == ErrorCode::cancelled) return fail(done.error());
    add_failure(kind, done.error());
  }
  return failure_ ? fail_for_now() : complete();
}

/// Writes the progress of all kinds, and conditions. Error `cancelled`: the Conversion was changed or deleted
/// meanwhile.
Result<void> ConversionRun::write(const std::function<void(k8s::Conditions& conditions)>& set_conditions) {
  const auto updated = kube::update_status(
      client_, conversions(), object_.key(), &object_,
      [&](k8s::Dynamic& now) {
        object_ = Conversion(now.release());
        object_.set_kinds(kinds_);
        {
          k8s::Conditions conditions(object_, Conversion::policy(), client_.clock());
          set_conditions(conditions);
        }
        now = k8s::Dynamic(object_.json());
      },
      {.field_manager = "fairway"}, limits());
  if (!updated) return fail(updated.error());
  if (*updated == kube::StatusUpdate::outdated || *updated == kube::StatusUpdate::gone) {
    return fail(ErrorCode::cancelled,
                "the Conversion " + object_.key().to_string() + " was changed or deleted meanwhile");
  }
  return {};
}

Result<void> ConversionRun::write_progress() {
  return write([this](k8s::Conditions& conditions) {
    const auto waits =
        std::ranges::find_if(kinds_, [](const KindProgress& kind) { return kind.waiting.has_value(); });
    if (waits != kinds_.end()) {
      set_in_progress(conditions, "WaitingForWebhook",
                      printable(waits->waiting->describe(), longest_message));
      return;
    }
    const auto total = object_.find_integer("status.objectsTotal");
    set_in_progress(conditions, "Migrating",
                    std::to_string(object_.integer("status.objectsDone")) +
                        (total ? " of " + std::to_string(*total) : "") + " objects");
  });
}

void ConversionRun::set_in_progress(k8s::Conditions& conditions, std::string_view reason,
                                    const std::string& message) const {
  conditions.set_true("Accepted", "Accepted", "");
  // One that has failed stays False until it is completed: it is not Unknown during each retry.
  const auto completed = conditions.find("Completed");
  const bool failed = completed && completed->is_false() && completed->reason() != "NotAccepted" &&
                      completed->observed_generation() == object_.generation();
  if (!failed) conditions.unknown("Completed", reason, message);
}

/// Requeues a failed Conversion. A retry lists and patches everything again, so it is not done at once; the
/// longer the Conversion has been failing, the later it is done.
kube::Requeue ConversionRun::retry_later(std::string_view condition) const {
  const auto failed = k8s::find_condition(object_, condition);
  const WallTime now = client_.clock().now();
  const WallTime since = failed ? failed->last_transition().value_or(now) : now;
  return kube::requeue_after(
      std::clamp<std::chrono::nanoseconds>(now - since, shortest_delay, longest_delay));
}

std::chrono::nanoseconds ConversionRun::longest_settle() const {
  std::chrono::nanoseconds left{0};
  for (const KindProgress& kind : kinds_)
    left = std::max(left, settle_left(kind, request_, pace_, client_.clock().now()));
  return left;
}

Result<std::optional<kube::Requeue>> ConversionRun::settle(std::chrono::nanoseconds left) {
  const WallTime until = client_.clock().now() + std::chrono::duration_cast<WallTime::duration>(left);
  auto written = write([&](k8s::Conditions& conditions) {
    set_in_progress(conditions, "Settling",
                    "begins at " + format_time(std::chrono::ceil<std::chrono::seconds>(until)) +
                        ", when no request is left that began before " + request_.new_version +
                        " was seen as the storage version");
  });
  if (!written) return fail(written.error());
  return kube::requeue_after(left);
}

Result<std::optional<kube::Requeue>> ConversionRun::refuse(std::string_view reason, const std::string& why) {
  kinds_ = object_.kinds();  // the counts are kept
  auto written = write([&](k8s::Conditions& conditions) {
    conditions.set_false("Accepted", reason, printable(why, longest_message));
    conditions.set_false("Completed", "NotAccepted", "it may not begin: see Accepted");
  });
  if (!written) return fail(written.error());
  // It is reconciled when a definition of the group changes.
  return kube::done();
}

std::unexpected<Error> ConversionRun::definitions_not_read(const Error& error) {
  if (error.code == ErrorCode::cancelled) return fail(error);
  kinds_ = object_.kinds();
  auto written = write([&](k8s::Conditions& conditions) {
    conditions.unknown("Accepted", "DefinitionsNotRead", printable(error.message, longest_message));
  });
  if (!written) return fail(written.error());
  return fail(error);
}

/// Records the error of a kind; the other kinds are migrated all the same.
void ConversionRun::add_failure(KindProgress& kind, const Error& error) {
  if (kind.last_error.empty()) kind.last_error = printable(error.message, longest_message);
  if (failure_) {
    failure_->message += "; " + error.message;
    return;
  }
  failure_ = error;
  failure_reason_ = !kind.left_out.empty()              ? "ObjectsLeftOut"
                    : error.code == ErrorCode::conflict ? "DefinitionChanged"
                                                        : "Failed";
}

/// Looks which of the objects that were left out are quarantined in the new version.
std::optional<k8s::ConditionError> ConversionRun::find_quarantined() {
  std::vector<std::pair<std::string, k8s::Key>> left_out;
  bool all = true;
  for (const KindProgress& kind : kinds_) {
    all = all && kind.left_out.names_all();
    for (k8s::Key& key : kind.left_out.keys())
      left_out.emplace_back(kind.definition.substr(0, kind.definition.find('.')), std::move(key));
  }
  if (left_out.size() > most_asked_for_quarantine) {
    left_out.resize(most_asked_for_quarantine);
    all = false;
  }
  std::size_t found = 0, asked = 0;
  std::vector<std::string> names;
  for (const auto& [plural, key] : left_out) {
    if (found == 0 && asked++ == most_asked_in_vain) break;
    const auto object = objects_.get({request_.group, request_.new_version, plural}, key, {}, limits());
    activity_->record();
    if (!object && !object.error().is_answer()) {
      all = false;
      break;
    }
    if (!object || !k8s::is_quarantined(*object)) continue;
    if (++found <= most_named_quarantined) names.push_back(plural + " " + key.to_string());
  }
  if (found == 0) return std::nullopt;
  const bool one = found == 1;
  std::string message = std::to_string(found) + (one ? " object does" : " objects do") + " not convert to " +
                        request_.new_version + (one ? " and is" : " and are") +
                        " served without content: " + join(names, ", ");
  if (found > names.size()) message += ", and " + std::to_string(found - names.size()) + " more";
  if (!all) message += "; not all objects that were left out were looked at";
  return k8s::ConditionError{"ObjectsQuarantined", printable(message, longest_message)};
}

Result<kube::Requeue> ConversionRun::fail_for_now() {
  const auto quarantined = find_quarantined();
  auto written = write([&](k8s::Conditions& conditions) {
    conditions.set_true("Accepted", "Accepted", "");
    conditions.set_false("Completed", failure_reason_, printable(failure_->message, longest_message));
    conditions.error("Quarantined", quarantined);
  });
  if (!written) return fail(written.error());
  log::warning(
      "a Conversion could not be completed; it is tried again",
      {{"conversion", object_.key().to_string()}, {"error", printable(failure_->message, longest_message)}});
  return retry_later("Completed");
}

Result<kube::Requeue> ConversionRun::complete() {
  auto written = write([&](k8s::Conditions& conditions) {
    conditions.set_true("Accepted", "Accepted", "");
    conditions.clear("Quarantined");
    const std::string objects = std::to_string(object_.integer("status.objectsDone")) + " objects";
    if (request_.dry_run) {
      conditions.set_true("Completed", "DryRun", objects + " would have been written");
    } else if (request_.reaches_all()) {
      conditions.set_true("Completed", "Completed",
                          objects + "; " + request_.new_version + " is the only stored version");
    } else {
      conditions.set_true("Completed", "Completed",
                          objects + "; storedVersions stays, as not all objects were reached");
    }
  });
  if (!written) return fail(written.error());
  return kube::done();
}

}  // namespace fairway::conversion
