// SPDX-License-Identifier: Apache-2.0

#include "gateway/internal/status/route_reports.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/text.h"
#include "gateway/internal/attachment/rules.h"
#include "gateway/internal/model/problems.h"
#include "k8s/conditions.h"

namespace fairway::gateway {

namespace {

using k8s::ConditionError;
using k8s::Dynamic;

/// Describes the listeners of a route: "served on a, b and 3 more"; "attached to c, which is not accepted".
std::string describe_attachments(const ParentState& parent) {
  std::vector<std::string> serving, idle;
  for (const Attachment& attachment : parent.attachments) {
    const Listener& listener = *attachment.listener;
    (listener.is_accepted() ? serving : idle).push_back(printable(listener.spec.name()));
  }
  const auto list = [](std::vector<std::string> names) {
    const std::size_t more = names.size() > most_named ? names.size() - most_named : 0;
    names.resize(names.size() - more);
    return join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
  };
  if (!serving.empty()) return "served on " + list(serving);
  return "attached to " + list(idle) +
         (idle.size() > 1 ? ", which are not accepted" : ", which is not accepted");
}

Verdicts route_verdicts(const RouteState& route, const ParentState& parent, const RefusedRules* refused,
                        const std::string& left_out) {
  const RouteFacts& facts = *route.facts;
  std::vector<ConditionError> dropped = facts.dropped;
  if (refused != nullptr) {
    const auto rules = route.object->items("spec.rules");
    for (const auto& [rule, words] : refused->rules)
      dropped.push_back({"UnsupportedValue", rule_name(rules.at(rule), rule) + ": " + words});
  }
  Verdicts verdicts(Level::route);
  if (parent.gateway->pending) {
    verdicts.set_unknown("Accepted", *parent.gateway->pending);
  } else if (parent.refused) {
    verdicts.set_false("Accepted", parent.refused->reason, parent.refused->message);
  } else if (facts.invalid) {
    verdicts.set_false("Accepted", facts.invalid->reason, facts.invalid->message);
  } else if (parent.gateway->refuses(*parent.owner)) {
    verdicts.set_false("Accepted", "ParentNotAccepted",
                       describe(*parent.gateway->object) + " is not accepted");
  } else if (refused != nullptr && refused->is_all) {
    verdicts.set_false("Accepted", "UnsupportedValue", first_of(dropped));
  } else {
    verdicts.set_true("Accepted", "Accepted", describe_attachments(parent));
    if (!dropped.empty())
      verdicts.set_true(
          "PartiallyInvalid", "UnsupportedValue",
          std::string("Dropped Rule") + (dropped.size() > 1 ? "s: " : ": ") + first_of(dropped));
  }
  if (facts.unresolved) {
    verdicts.set_false("ResolvedRefs", facts.unresolved->reason, facts.unresolved->message);
  } else {
    verdicts.set_true("ResolvedRefs", "ResolvedRefs", "all references are resolved");
  }
  if (!left_out.empty() && !parent.gateway->pending)
    verdicts.set_true("fairway.dev/EndpointsLeftOut", "RefusedAddress", left_out);
  return verdicts;
}

/// Returns a text with all facts about a route's parents that `route_verdicts` uses: two equal texts have
/// equal verdicts, if route and facts are the same.
std::string words_on_parents(const RouteState& route, const Answers& answers, const std::string& left_out) {
  std::string words;
  // Whatever is in a text, it is told from the next.
  const auto add = [&](char what, std::string_view text) {
    words += what + std::to_string(text.size()) + ":";
    words += text;
  };
  if (!left_out.empty()) add('e', left_out);
  for (const ParentState& parent : route.parents) {
    words += ';';
    add('k', json::to_text(parent.ref.json()));
    if (parent.gateway->pending) add('p', *parent.gateway->pending);
    if (parent.refused) {
      add('r', parent.refused->reason);
      add('m', parent.refused->message);
    }
    if (parent.gateway->refuses(*parent.owner)) add('g', describe(*parent.gateway->object));
    for (const Attachment& attachment : parent.attachments) {
      // The letter tells whether the listener is accepted.
      add(attachment.listener->is_accepted() ? 'l' : 'i', attachment.listener->spec.name());
    }
    const RefusedRules* const refused = answers.refused_of(parent);
    if (refused == nullptr) continue;
    if (refused->is_all) add('w', "");
    for (const auto& [rule, said] : refused->rules) {
      add('n', std::to_string(rule));
      add('s', said);
    }
  }
  return words;
}

}  // namespace

void RouteReportCache::align(const std::deque<RouteState>& routes) {
  const auto is_of = [](const Cached& cached, const RouteState& route) {
    return cached.route == route.held ||
           (cached.kind == route.kind && cached.route->key() == route.held->key());
  };
  // Mostly routes change, and neither come nor go.
  if (std::ranges::equal(cache_, routes, is_of)) return;
  std::vector<Cached> before = std::exchange(cache_, {});
  std::vector<Cached> next;
  next.reserve(routes.size());
  auto last = before.begin();
  const auto name = [](RouteKind kind, const Dynamic& object) { return std::pair(kind, object.key()); };
  for (const RouteState& route : routes) {
    if (last != before.end() && last->route != route.held) {
      const auto now = name(route.kind, *route.held);
      while (last != before.end() && name(last->kind, *last->route) < now) ++last;
    }
    const bool is_there = last != before.end() && is_of(*last, route);
    next.push_back(is_there ? std::move(*last++) : Cached{.kind = route.kind, .route = route.held});
  }
  cache_ = std::move(next);
}

void RouteReportCache::judge(const Objects& objects, const RouteState& route, const Answers& answers,
                             const std::shared_ptr<const LeftOutEndpoints>& left_out, Cached& cached) {
  const bool is_refused =
      !answers.refused_rules.empty() && std::ranges::any_of(route.parents, [&](const ParentState& parent) {
        return answers.refused_of(parent) != nullptr;
      });
  const bool is_same = cached.route == route.held && cached.facts == route.facts && cached.entries != nullptr;
  const bool is_attached_same = is_same && cached.revision == route.revision;
  const bool is_left_out_same = is_attached_same && cached.left_out_by == left_out;
  if (is_left_out_same && !is_refused && !cached.is_refused) return;
  if (!is_left_out_same)
    cached.left_out = left_out->empty() ? "" : describe_left_out(objects, *left_out, route);
  std::string words = words_on_parents(route, answers, cached.left_out);
  if (!is_same || cached.words != words) {
    auto entries = std::make_shared<std::vector<EntryReport>>();
    for (const ParentState& parent : route.parents) {
      entries->push_back(
          {parent.ref.json(), route_verdicts(route, parent, answers.refused_of(parent), cached.left_out)});
    }
    cached.entries = std::move(entries);
    cached.words = std::move(words);
  }
  cached.route = route.held;
  cached.facts = route.facts;
  cached.revision = route.revision;
  cached.left_out_by = left_out;
  cached.is_refused = is_refused;
}

void RouteReportCache::report(const Objects& objects, const std::deque<RouteState>& routes,
                              const Answers& answers, const std::shared_ptr<const LeftOutEndpoints>& left_out,
                              std::vector<Report>& reports) {
  static const auto none = std::make_shared<const std::vector<EntryReport>>();
  align(routes);
  reports.reserve(reports.size() + routes.size());
  // All are by kind and name.
  auto attached = routes.begin();
  auto cached = cache_.begin();
  for (const RouteKind kind : route_kinds) {
    objects.each(to_string(kind), [&](const std::shared_ptr<const Dynamic>& object) {
      if (attached == routes.end() || attached->held != object) {
        reports.push_back({.object = object.get(), .held = object, .parents = none});
        return;
      }
      judge(objects, *attached, answers, left_out, *cached);
      reports.push_back({.object = object.get(), .held = object, .parents = cached->entries});
      ++attached;
      ++cached;
    });
  }
}

}  // namespace fairway::gateway
