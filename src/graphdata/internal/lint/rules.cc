// SPDX-License-Identifier: Apache-2.0

// The table of lint's rules. Errors are what changes the updates of a cluster, or what the specification
// requires.
#include <vector>

#include "graphdata/lint/lint.h"

namespace fairway::graphdata {

const std::vector<LintRule>& lint_rules() {
  constexpr Severity error = Severity::error;
  constexpr Severity warning = Severity::warning;
  static const std::vector<LintRule> rules = {
      {"always-implied", warning, "A risk without matchingRules concerns every cluster; say so."},
      {"block-meets-nothing", warning,
       "A blocked edge meets an update (an error in files that are new or changed against the base)."},
      {"block-overridden", error, "Another file removes the same update, so that this risk is never told."},
      {"block-repeated", warning, "Another file says the same."},
      {"channel-dash", warning, "Today's service stops on a channel name without '-'."},
      {"channel-description", error, "The description of a channel is a text."},
      {"channel-file-name", warning, "A channel's file is named after it."},
      {"channel-name", error, "A channel's name is what clients can ask for: [0-9a-z.-]+."},
      {"channel-version", error, "What a channel lists are semantic versions."},
      {"channel-versions", error, "A channel has a list of versions."},
      {"channel-yml", error, "Channel files that end in .yml are not read."},
      {"duplicate-channel", error, "A channel is defined by one file."},
      {"duplicate-key", error, "A key stands once in a mapping."},
      {"duplicate-version", warning, "A version stands once in a channel."},
      {"feeder", error, "A feeder is a mapping of texts with the name of a channel."},
      {"feeder-filter", warning, "The filter of a feeder is a regular expression."},
      {"feeder-unknown", warning, "The channel that feeds this one exists."},
      {"file-link", error, "A file of graph data is itself in Git, and not as a link."},
      {"file-name", warning, "A blocked-edges file is named after its target and risk."},
      {"file-unfit", error, "A blocked edge has at most 1 MiB, and its name is UTF-8."},
      {"file-unread", warning, "What looks like graph data is read."},
      {"fixed-in", warning, "fixedIn is a version above the target."},
      {"from", error, "A blocked edge has an expression for the releases that are updated from."},
      {"from-dot", warning, "A dot between numbers is escaped: [.]"},
      {"from-matches-nothing", warning,
       "Some release matches `from`, which is searched in VERSION+ARCHITECTURE (an error in files that are "
       "new or changed against the base)."},
      {"from-regex", error, "`from` is a regular expression in RE2 syntax."},
      {"key-type", error, "Keys are words."},
      {"matching-rules", error, "matchingRules is a list of rules with a type."},
      {"metadata-meets-nothing", warning,
       "What raw/metadata.json removes meets an update, and its keys are known (an error where the file has "
       "changed against the base)."},
      {"metadata-version", warning, "raw/metadata.json speaks of semantic versions."},
      {"name-camel-case", warning, "The name of a risk is CamelCase, as reasons of conditions are."},
      {"name-reason", error,
       "The name of a risk can be the reason of a condition: letters, digits, _, comma and colon."},
      {"not-a-mapping", error, "A file holds one mapping."},
      {"one-meaning", error,
       "A name means one risk: url, message and matchingRules agree wherever it stands."},
      {"outside-feeder", warning, "What a channel lists, its feeder lists, as far as the filter reaches."},
      {"promql-absence", warning, "Where metrics are not scraped, a query does not give 0."},
      {"promql-cost", warning, "A query is within the limits that clusters set by default."},
      {"promql-equality", warning, "A value that looks like a regular expression is matched as one."},
      {"promql-metric", warning,
       "A query asks for metrics that others ask for too (with a base: those of it)."},
      {"promql-missing", error, "A rule of type PromQL has a query."},
      {"promql-samples", warning, "A query gives one sample, and not one for each value of a label."},
      {"promql-shape", warning,
       "A query gives one sample, 1 where the risk matters and 0 where it does not."},
      {"promql-spelling", warning, "Older readers know the key `promql` only."},
      {"promql-syntax", error, "A query is PromQL, and its types fit."},
      {"raw-metadata", error, "raw/metadata.json is {version: {key: text}}."},
      {"refused", error, "The graph data is not refused as a whole."},
      {"risk-not-extended", warning, "A risk is extended to the next patch, or is fixed in it."},
      {"rule-properties", error, "A rule of type Always has no further properties."},
      {"rule-type", warning, "The type of a rule is one that consumers know."},
      {"rule-unreachable", warning, "Rules behind one that always decides are never looked at."},
      {"rules-without-texts", error, "matchingRules need url, name and message."},
      {"schema-version", error, "The file version holds the version of a schema that has what is used."},
      {"several-documents", error, "A file holds one YAML document."},
      {"stranded", warning, "From every release a recommended path leads to the channel's highest one."},
      {"stuck", warning, "From every release some path leads to the channel's highest one."},
      {"text-type", error, "url, name and message are texts."},
      {"texts", error,
       "A blocked edge says why: url, name and message (a warning in files that the base has)."},
      {"to", error, "A blocked edge has a target, and it is a semantic version."},
      {"to-in-no-channel", warning,
       "The target of a blocked edge is in some channel (an error in files that are new or changed against "
       "the base)."},
      {"tombstoned-in-feeder", warning, "What a feeder tombstones is not in the channels that it feeds."},
      {"unknown-key", warning, "A key is one that means something here."},
      {"url-https", warning, "The url of a risk is an https one."},
      {"url-uri", error, "The url of a risk is a URI."},
      {"version-not-released", warning, "Some release has the version that a channel lists."},
      {"yaml-syntax", error, "A file is YAML."},
      {"yml-blocked-edge", warning, "Today's service does not read blocked edges that end in .yml."},
  };
  return rules;
}

}  // namespace fairway::graphdata
