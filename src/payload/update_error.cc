// SPDX-License-Identifier: Apache-2.0

#include "payload/update_error.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"

namespace fairway::payload {

namespace {

struct Summary {
  std::string_view reason, text;
};

constexpr std::array summaries{
    Summary{"UpdatePayloadResourceNotFound", "some resources could not be updated"},
    Summary{"UpdatePayloadResourceConflict", "some resources could not be updated"},
    Summary{"UpdatePayloadClusterDown", "the control plane is down or not responding"},
    Summary{"UpdatePayloadClusterError", "the control plane is reporting an internal error"},
    Summary{"UpdatePayloadClusterOverloaded", "the control plane is overloaded and is not accepting updates"},
    Summary{"UpdatePayloadClusterUnauthorized", "could not authenticate to the server"},
    Summary{"UpdatePayloadRetrievalFailed", "could not download the update"},
    Summary{"UpdatePayloadResourceForbidden", "the server is rejecting updates"},
    Summary{"UpdatePayloadResourceTypeMissing", "a required extension is not available to update"},
    Summary{"UpdatePayloadResourceInvalid", "some cluster configuration is invalid"},
    Summary{"UpdatePayloadIntegrity", "the contents of the update are invalid"},
    Summary{"ImageVerificationFailed", "the image may not be safe to use"},
    Summary{"UpgradePreconditionCheckFailed", "it may not be safe to apply this update"},
    Summary{"ClusterOperatorsNotAvailable", "some cluster operators are not available"},
};

/// A summary that names its subject: SUBJECT NAME PREDICATE.
struct NamedSummary {
  std::string_view reason, subject, predicate;
};

constexpr std::array named_summaries{
    NamedSummary{"ClusterOperatorDegraded", "cluster operator", "is degraded"},
    NamedSummary{"ClusterOperatorNotAvailable", "cluster operator", "is not available"},
    NamedSummary{"ClusterOperatorNoVersions", "cluster operator", "does not declare expected versions"},
    NamedSummary{"WorkloadNotAvailable", "workload", "has not yet successfully rolled out"},
    NamedSummary{"WorkloadNotProgressing", "workload", "cannot roll out"},
};

/// A reason that ClusterOperators may share, with the reason and predicate for several of them.
struct Plural {
  std::string_view reason, plural_reason, predicate;
};

constexpr std::array plurals{
    Plural{"ClusterOperatorUpdating", "ClusterOperatorsUpdating", "are updating versions"},
    Plural{"ClusterOperatorNotAvailable", "ClusterOperatorsNotAvailable", "are not available"},
    Plural{"ClusterOperatorDegraded", "ClusterOperatorsDegraded", "are degraded"},
    Plural{"ClusterOperatorNoVersions", "ClusterOperatorsNoVersions", "do not declare expected versions"},
};

int gravity(UpdateEffect effect) {
  switch (effect) {
    case UpdateEffect::fail:
      return 3;
    case UpdateEffect::fail_after_interval:
      return 2;
    case UpdateEffect::report:
      return 1;
    case UpdateEffect::none:
      break;
  }
  return 0;
}

UpdateError plural_of(const Plural& plural, std::vector<UpdateError> errors) {
  UpdateError merged{
      .reason = std::string(plural.plural_reason), .message = {}, .effect = UpdateEffect::none};
  for (const UpdateError& error : errors) {
    if (gravity(error.effect) > gravity(merged.effect)) merged.effect = error.effect;
    merged.names.push_back(error.name);
  }
  std::ranges::sort(merged.names);
  merged.name = join(merged.names, ", ");
  merged.message = "Cluster operators " + merged.name + " " + std::string(plural.predicate);
  merged.nested = std::move(errors);
  return merged;
}

struct Cause {
  const char *reason, *text;
};

/// Codes of replies whose message says what is wrong with the object, or who refuses it.
constexpr std::array codes_that_say_why = {403, 422, 500};
/// Bytes of such a message that are passed on.
constexpr std::size_t longest_reason = 500;

Cause cause_of(const kube::ApiError& error) {
  if (!error.is_answer()) {
    switch (error.code) {
      case ErrorCode::not_found:
        return {"UpdatePayloadResourceTypeMissing",
                "the server does not recognize this resource, check extension API servers"};
      case ErrorCode::unavailable:
      case ErrorCode::deadline_exceeded:
        return {"UpdatePayloadClusterDown", "the server is down or not responding"};
      default:
        return {"UpdatePayloadFailed", ""};
    }
  }
  switch (error.status.code()) {
    case 401:
      return {"UpdatePayloadClusterUnauthorized", "could not authenticate to the server"};
    case 403:
      return {"UpdatePayloadResourceForbidden", "the server has forbidden updates to this resource"};
    case 404:
      return {"UpdatePayloadResourceNotFound", "resource may have been deleted"};
    case 409:
      return {"UpdatePayloadResourceConflict", "someone else is updating this resource"};
    case 422:
      return {"UpdatePayloadResourceInvalid",
              "the object is invalid, possibly due to local cluster configuration"};
    case 429:
      return {"UpdatePayloadClusterOverloaded", "the server is overloaded and is not accepting updates"};
    case 500:
      return {"UpdatePayloadClusterError", "the server is reporting an internal error"};
    case 502:
    case 503:
    case 504:
      return {"UpdatePayloadClusterDown", "the server is down or not responding"};
    default:
      return {"UpdatePayloadFailed", ""};
  }
}

}  // namespace

std::string summary_for_reason(std::string_view reason, std::string_view name) {
  for (const Summary& summary : summaries)
    if (summary.reason == reason) return std::string(summary.text);
  for (const NamedSummary& summary : named_summaries) {
    if (summary.reason != reason) continue;
    const std::string subject(summary.subject);
    const std::string predicate = " " + std::string(summary.predicate);
    return name.empty() ? "a " + subject + predicate : "the " + subject + " " + std::string(name) + predicate;
  }
  if (reason.starts_with("UpdatePayload")) return "the update could not be applied";
  if (!name.empty()) return std::string(name) + " has an unknown error: " + std::string(reason);
  return "an unknown error has occurred: " + std::string(reason);
}

UpdateError several_errors(std::vector<UpdateError> errors) {
  if (errors.size() == 1) return std::move(errors.front());
  std::vector<std::string> messages;
  UpdateError all{.reason = "MultipleErrors", .message = {}, .effect = UpdateEffect::none};
  for (const UpdateError& error : errors) {
    messages.push_back(error.message);
    if (gravity(error.effect) > gravity(all.effect)) all.effect = error.effect;
    if (!error.name.empty()) all.names.push_back(error.name);
  }
  std::ranges::sort(messages);
  const auto [last, end] = std::ranges::unique(messages);
  messages.erase(last, end);
  std::ranges::sort(all.names);
  // Objects that are waited for are named; failures are only listed.
  if (all.effect == UpdateEffect::none || all.effect == UpdateEffect::fail_after_interval)
    all.name = join(all.names, ", ");
  all.message = "Multiple errors are preventing progress:\n* " + join(messages, "\n* ");
  all.nested = std::move(errors);
  return all;
}

UpdateError merge_errors(std::vector<UpdateError> errors) {
  std::map<std::string, std::vector<UpdateError>, std::less<>> by_reason;
  std::vector<UpdateError> merged;
  for (UpdateError& error : errors) {
    const bool has_plural =
        std::ranges::any_of(plurals, [&](const Plural& plural) { return plural.reason == error.reason; });
    if (has_plural && !error.name.empty()) {
      by_reason[error.reason].push_back(std::move(error));
    } else {
      merged.push_back(std::move(error));
    }
  }
  for (const Plural& plural : plurals) {
    const auto found = by_reason.find(plural.reason);
    if (found == by_reason.end()) continue;
    if (found->second.size() == 1) {
      merged.push_back(std::move(found->second.front()));
    } else {
      merged.push_back(plural_of(plural, std::move(found->second)));
    }
  }
  // Errors with the same message become one.
  const auto same = [&](const UpdateError& error) { return error.message == merged.front().message; };
  if (std::ranges::all_of(merged, same)) return std::move(merged.front());
  return several_errors(std::move(merged));
}

UpdateError error_of_server(const kube::ApiError& error, const ObjectId& object, std::size_t number,
                            std::size_t total) {
  const Cause cause = cause_of(error);
  // More people read ClusterVersions than Secrets.
  const bool is_secret = object.kind == "Secret";
  const std::string said = printable(error.status.message(), longest_reason);
  std::string why = cause.text;
  if (why.empty() && error.is_answer()) {
    why = is_secret || said.empty() ? "the server answered with status " + std::to_string(error.status.code())
                                    : said;
  } else if (why.empty()) {
    why = error.message;
  } else if (!is_secret && !said.empty() &&
             std::ranges::find(codes_that_say_why, error.status.code()) != codes_that_say_why.end()) {
    // The field and the rule, or the webhook that refuses it: what nobody can tell from the kind of the
    // error.
    why += ": " + said;
  }
  return {.reason = cause.reason,
          .message = "Could not update " + object.to_string() + " (" + std::to_string(number) + " of " +
                     std::to_string(total) + "): " + why,
          .effect = UpdateEffect::fail,
          .name = object.to_string()};
}

}  // namespace fairway::payload
