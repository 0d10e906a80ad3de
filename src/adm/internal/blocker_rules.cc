// SPDX-License-Identifier: Apache-2.0

#include "adm/internal/blocker_rules.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"

namespace fairway::adm {
namespace {

/// The first rule that has the condition's reason and whose `words` are in the report counts; an empty one
/// counts for all. Only words that are the operator's own are looked for without a reason: reports quote
/// others, such as "cannot be verified" of a certificate. In commands, CLIENT, UPGRADE, RELEASE-INFO, IMAGE,
/// OBJECT ("deployment web -n shop") and NAMESPACE (" -n shop") are replaced, in a help FORCE. Commands are
/// separated by line breaks; one with an object that the report does not name is left out.
struct Rule {
  /// Reasons, separated by spaces.
  std::string_view reason;
  /// Texts that follow each other in the report, separated by line breaks.
  std::string_view words;
  std::string_view what, help, commands;
};

/// Reasons of ReleaseAccepted and of Failing for an image that cannot be retrieved or verified.
constexpr std::string_view retrieval = "RetrievePayload UpdatePayloadRetrievalFailed";

/// In place of FORCE in a help.
constexpr std::string_view force_drops_all =
    "As a last way, --force begins in spite of it; it also drops the check of the signature and all other "
    "checks, so it is only for an image that you have verified yourself.";

constexpr std::array rules{
    Rule{
        retrieval, "failure=The update cannot be verified: \nagainst keyrings: the image is not signed: ",
        "the signature of the release image does not count",
        "Check that the image is the one that was published for its version, and that the store of "
        "signatures that the operator asks has those of this release: a mirror has to have them, too. Or ask "
        "for a release that is signed. FORCE",
        "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{retrieval,
         "failure=The update cannot be verified: \nagainst keyrings: the image has no signature that counts",
         "the signature of the release image does not count",
         "Check that the image is the one that was published for its version, and that the operator has the "
         "key that it was signed with. Or ask for another release. FORCE",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{retrieval, "failure=The update cannot be verified: \nthere are no public keys",
         "there is no key to check the signature of the release image with",
         "Give the operator the public keys that sign your releases; it tries again by itself.",
         "UPGRADE --clear"},
    Rule{retrieval, "failure=The update cannot be verified: \nreading the public keys ",
         "there is no key to check the signature of the release image with",
         "Put right what the message says of the operator's public keys; it tries again by itself.",
         "UPGRADE --clear"},
    Rule{retrieval,
         "failure=The update cannot be verified: release images that are not accessed via digest cannot be ",
         "the release image is named by a tag, and cannot be verified", "Ask for the image by its digest.",
         "UPGRADE --clear"},
    Rule{retrieval,
         "failure=The update cannot be verified: ", "the signature of the release image cannot be checked",
         "Check that the operator reaches the store of signatures that the message names (network, proxy, "
         "certificates), that the store has those of this release, and that the operator has the key. It "
         "tries again by itself.",
         "UPGRADE --clear"},
    Rule{retrieval, "Retrieving and verifying payload ", "the release image is being retrieved and checked",
         "This takes some minutes at most. If it lasts, check that the cluster reaches the registry and the "
         "store of signatures.",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{"RetrievePayload", "", "the release image cannot be retrieved",
         "Check that the cluster reaches the registry, that its pull secret counts there, and that the "
         "registry "
         "has the image by this digest; a mirror has to have it, too. The operator tries again by itself.",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{"UpdatePayloadRetrievalFailed", "", "the release image cannot be retrieved",
         "Check that the cluster reaches the registry, that its pull secret counts there, and that the "
         "registry "
         "has the image by this digest; a mirror has to have it, too. The operator tries again by itself.",
         "RELEASE-INFO IMAGE"},
    Rule{"VerifyPayloadVersion", "", "the release image has another version than the one that was asked for",
         "Ask for the version that the message names, or for another image.",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{"LoadPayload", "", "the contents of the release image cannot be used",
         "Nothing in the cluster helps: ask for another release, or have this one put right.",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{"UpdatePayloadIntegrity", "", "the contents of the release image cannot be used",
         "Nothing in the cluster helps: ask for another release, or have this one put right.",
         "RELEASE-INFO IMAGE\nUPGRADE --clear"},
    Rule{"PreconditionChecks", "", "a precondition of the update is not met",
         "Put right what each failed check names, or ask for another release: the operator checks again by "
         "itself, "
         "after five minutes at the latest. FORCE",
         "UPGRADE\nUPGRADE --clear"},
    Rule{"InvalidClusterVersion", "", "the spec of ClusterVersion is not valid",
         "Correct the fields that the message names. If one is of the request, take the request back.",
         "CLIENT edit clusterversion version\nUPGRADE --clear"},
    Rule{"InvalidBeside", "", "a field of ClusterVersion beside the update is not valid",
         "Correct the fields that the message names. The cluster ignores them, and the update goes on.",
         "CLIENT edit clusterversion version"},
    Rule{"", "migration of ", "stored objects are being migrated to another version",
         "An object that cannot be written in the new version stops the migration: the Conversion names it, "
         "and "
         "why. Correct or delete it, and check that the webhook that converts the objects answers.",
         "CLIENT get conversions.pkg.knative.dev -A -o yaml"},
    Rule{"", "Could not delete ", "an object that the release no longer has cannot be removed",
         "Look for finalizers: whoever set one has to do its part and take it away.",
         "CLIENT get OBJECT -o yaml"},
    Rule{"", "the server has forbidden updates to this resource",
         "a manifest of the release cannot be applied",
         "An admission webhook, a policy or a quota refuses the object, or the operator lacks a right. The "
         "log of "
         "the operator has the server's words.",
         "CLIENT get OBJECT -o yaml\nCLIENT get validatingwebhookconfigurations,validatingadmissionpolicies"},
    Rule{"", "the object is invalid", "a manifest of the release cannot be applied",
         "The object of the release does not go with what the cluster has: a field that may not change, or a "
         "rule "
         "that refuses it. The log of the operator names the field. Undo what was changed by hand; an object "
         "that "
         "may be made anew can be deleted.",
         "CLIENT get OBJECT -o yaml --show-managed-fields"},
    Rule{"", "someone else is updating this resource", "a manifest of the release cannot be applied",
         "Another controller writes the same object. Find it by the managed fields, and stop it or make it "
         "leave "
         "the object alone.",
         "CLIENT get OBJECT -o yaml --show-managed-fields"},
    Rule{"", "the server does not recognize this resource", "a manifest of the release cannot be applied",
         "The kind is not served: its definition, or the API server behind it, is missing or not ready.",
         "CLIENT get apiservices,customresourcedefinitions"},
    Rule{"", "resource may have been deleted", "a manifest of the release cannot be applied",
         "The object, or its namespace, was deleted while it was written, or is being deleted.",
         "CLIENT get OBJECT -o yaml\nCLIENT get namespaces"},
    Rule{"", "the server is down or not responding", "the API server does not answer the operator",
         "This is usual for some minutes while the API server itself is updated. If it lasts, look at its "
         "Pods and "
         "at etcd.",
         "CLIENT get --raw '/readyz?verbose'"},
    Rule{"", "the server is reporting an internal error", "a manifest of the release cannot be applied",
         "The API server, or a webhook that it calls for the object, fails. The log of the operator has the "
         "server's words.",
         "CLIENT get --raw '/readyz?verbose'\n"
         "CLIENT get mutatingwebhookconfigurations,validatingwebhookconfigurations"},
    Rule{"", "the server is overloaded", "the API server is overloaded",
         "Find who sends the many requests; the operator tries again by itself.",
         "CLIENT get --raw /metrics"},
    Rule{"", "could not authenticate to the server", "the API server refuses the operator's credentials",
         "Check the operator's ServiceAccount and its token; certificates that are renewed pass by "
         "themselves.",
         "CLIENT get events -A"},
    Rule{"", "Could not update ", "a manifest of the release cannot be applied",
         "The log of the operator has the server's words.", "CLIENT get OBJECT -o yaml"},
    Rule{"WorkloadNotProgressing", "", "a workload cannot roll out",
         "Look at its Pods: an image that cannot be pulled, no node that they fit on, a probe that fails.",
         "CLIENT describe OBJECT\nCLIENT get podsNAMESPACE"},
    Rule{"WorkloadNotAvailable", "", "a workload has not rolled out",
         "Look at its Pods: an image that cannot be pulled, no node that they fit on, a probe that fails.",
         "CLIENT describe OBJECT\nCLIENT get podsNAMESPACE"},
    Rule{"SlowClusterOperator", "", "cluster operators take longer than usual",
         "See which is not at the version, and what it says.", "CLIENT get clusteroperators"},
    Rule{"", "luster operator", "cluster operators are not ready",
         "Put right what they say: the update goes on by itself.", "CLIENT get clusteroperators"},
    Rule{"", " \"", "an object is not ready",
         "Look at the conditions of the object, and at its Pods if it has any.",
         "CLIENT describe OBJECT\nCLIENT get podsNAMESPACE"},
    Rule{"", "waiting ", "parts of the release are not ready", "See which is not, and what it says.",
         "CLIENT get clusteroperators"},
    Rule{"", "", "the operator reports an error",
         "Its message names the cause; the log of the operator has more.",
         "CLIENT describe clusterversion version"},
};

/// An object that a report names: `deployment "shop/web"`.
struct NamedObject {
  std::string kind, namespace_name, name;
};

std::optional<NamedObject> object_in(std::string_view report) {
  const std::size_t quote = report.find(" \"");
  if (quote == report.npos) return std::nullopt;
  const std::size_t end = report.find('"', quote + 2);
  if (end == report.npos) return std::nullopt;
  const std::size_t before = report.rfind(' ', quote - 1);
  const std::size_t first = quote == 0 || before == report.npos ? 0 : before + 1;
  const std::string_view kind = report.substr(first, quote - first);
  const std::string_view whole = report.substr(quote + 2, end - quote - 2);
  const std::size_t slash = whole.find('/');
  // Only what could be one is shown in a command: reports quote other texts, too.
  const auto is_name = [](std::string_view text) {
    // With a dash before it, it would be a flag.
    return !text.empty() && text.front() != '-' && std::ranges::all_of(text, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == ':';
    });
  };
  NamedObject object{.kind = std::string(kind),
                     .namespace_name = std::string(slash == whole.npos ? "" : whole.substr(0, slash)),
                     .name = std::string(slash == whole.npos ? whole : whole.substr(slash + 1))};
  if (!is_name(object.kind) || !is_name(object.name)) return std::nullopt;
  if (slash != whole.npos && !is_name(object.namespace_name)) return std::nullopt;
  return object;
}

/// Returns whether a shell takes the image as one word, as it is.
bool is_plain(std::string_view image) {
  constexpr std::string_view others = "-._/:@";
  return !image.empty() && std::ranges::all_of(image, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || others.contains(c);
  });
}

/// Returns the command by which the caller looks at a release image.
std::string release_info(const Caller& caller) {
  if (caller.client == "oc") return "oc adm release info";
  return caller.upgrade.starts_with("kubectl ") ? caller.upgrade + " release info" : "fairway release info";
}

void replace(std::string& text, std::string_view what, const std::string& by) {
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<std::string> commands_of(const Rule& rule, std::string_view report, std::string_view image,
                                     const Caller& caller) {
  const auto object = object_in(report);
  std::vector<std::string> commands;
  for (const std::string_view one : split(rule.commands, '\n')) {
    std::string command(one);
    if (!object && (command.contains("OBJECT") || command.contains("NAMESPACE"))) continue;
    if (!is_plain(image) && command.contains("IMAGE")) continue;
    if (object) {
      const std::string in = object->namespace_name.empty() ? "" : " -n " + object->namespace_name;
      if (in.empty() && command.contains("NAMESPACE")) continue;
      replace(command, "OBJECT", object->kind + " " + object->name + in);
      replace(command, "NAMESPACE", in);
    }
    replace(command, "RELEASE-INFO", release_info(caller));
    replace(command, "CLIENT", caller.client);
    replace(command, "UPGRADE", caller.upgrade);
    replace(command, "IMAGE", std::string(image));
    commands.push_back(std::move(command));
  }
  return commands;
}

/// Returns whether the reason is among some that are separated by spaces.
bool is_one_of(std::string_view reason, std::string_view reasons) {
  return std::ranges::any_of(split(reasons, ' '), [&](std::string_view one) { return one == reason; });
}

/// Returns whether the texts follow each other in the report.
bool has_words(std::string_view report, std::string_view words) {
  for (const std::string_view text : split(words, '\n')) {
    const std::size_t at = report.find(text);
    if (at == report.npos) return false;
    report.remove_prefix(at + text.size());
  }
  return true;
}

}  // namespace

BlockerAdvice advise(std::string_view reason, std::string_view report, std::string_view image,
                     const Caller& caller) {
  const auto rule = std::ranges::find_if(rules, [&](const Rule& one) {
    return (one.reason.empty() || is_one_of(reason, one.reason)) && has_words(report, one.words);
  });
  std::string help(rule->help);
  replace(help, "FORCE", std::string(force_drops_all));
  return {.what = std::string(rule->what),
          .help = std::move(help),
          .commands = commands_of(*rule, report, image, caller)};
}

}  // namespace fairway::adm
