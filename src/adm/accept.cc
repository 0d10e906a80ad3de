// SPDX-License-Identifier: Apache-2.0

#include "adm/accept.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "adm/internal/desired_update.h"
#include "base/quoted_text.h"
#include "base/text.h"

namespace fairway::adm {
namespace {

std::vector<std::string> names_of(const json::Array& risks) {
  std::vector<std::string> names;
  for (const json::Value& risk : risks) names.emplace_back(json::find_string(risk, "name").value_or(""));
  return names;
}

}  // namespace

CommandResult check(const AcceptFlags& flags, AcceptedRisks& risks) {
  CommandResult answer;
  const std::string command = flags.caller.upgrade + " accept";
  if (flags.clear && flags.replace) {
    answer.fail_usage("--clear and --replace are mutually exclusive", command);
  } else if (flags.clear && !flags.arguments.empty()) {
    answer.fail_usage("unknown command " + quote(join(flags.arguments, " ")), command);
  } else if (!flags.clear && flags.arguments.empty()) {
    answer.fail_usage("no positional arguments given", command);
  } else if (flags.arguments.size() > 1) {
    answer.fail_usage("multiple positional arguments given", command);
  }
  if (answer.failed() || flags.clear) return answer;
  for (const std::string_view part : split(flags.arguments.front(), ',')) {
    const std::string_view name = trim(part);
    if (name.empty() || name == "-") {
      answer.fail_usage("illegal risk " + quote(name), command);
      return answer;
    }
    if (name.ends_with('-')) {
      risks.removed.emplace(name.substr(0, name.size() - 1));
    } else {
      risks.added.emplace(name);
    }
  }
  std::vector<std::string> both;
  std::ranges::set_intersection(risks.added, risks.removed, std::back_inserter(both));
  if (!both.empty()) {
    answer.fail_usage("requested risks with both Risk and Risk-: " + join(both, ","), command);
  } else if (flags.replace && !risks.removed.empty()) {
    answer.fail_usage("The suffix '-' on risks is not allowed if --replace is specified", command);
  }
  return answer;
}

CommandResult accept(const AcceptFlags& flags, const AcceptedRisks& risks,
                     const openshift::ClusterVersion& cluster) {
  CommandResult answer;
  json::Array before, after;
  if (const json::Value* accepted = accepted_risks(cluster)) before = accepted->get_array();
  if (!flags.clear && !flags.replace) {
    for (const json::Value& risk : before)
      if (!risks.removed.contains(std::string(json::find_string(risk, "name").value_or(""))))
        after.push_back(risk);
  }
  const std::vector<std::string> kept = names_of(after);
  if (!flags.clear) {
    for (const std::string& name : risks.added)
      if (std::ranges::find(kept, name) == kept.end()) after.push_back(json::Object{{"name", name}});
  }
  if (after == before) {
    answer.out = "info: Accept risks are not changed\n";
    return answer;
  }
  const std::size_t wanted = after.size();
  std::string done = "info: Accept risks are [" + join(names_of(after), ", ") + "]\n";
  json::Value list = after.empty() ? json::Value(nullptr) : json::Value(std::move(after));
  answer.patch = Patch{
      .body = {{"spec", json::Object{{"desiredUpdate", json::Object{{"acceptRisks", std::move(list)}}}}}},
      .failure = "unable to accept risks",
      .done = [done = std::move(done)](const openshift::ClusterVersion&) { return done; },
      .lost =
          [wanted](const openshift::ClusterVersion& patched) {
            const json::Value* kept = accepted_risks(patched);
            return wanted == 0 || kept != nullptr ? std::string()
                                                  : "the ClusterVersion of this cluster has no "
                                                    "spec.desiredUpdate.acceptRisks; use '--to VERSION "
                                                    "--allow-not-recommended' for one update";
          }};
  return answer;
}

}  // namespace fairway::adm
