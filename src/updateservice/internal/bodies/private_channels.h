// SPDX-License-Identifier: Apache-2.0

// Channels that are not public: which rule decides about a channel, and which rules a caller's credentials
// open.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/snapshot.h"

namespace fairway::updateservice {

/// The audience of a caller, which decides what it may see: an index into PrivateChannels::audiences(). 0 is
/// the public.
using AudienceIndex = std::size_t;
inline constexpr AudienceIndex public_audience = 0;

/// The rules of one --private-channels file. Immutable once loaded; safe from all threads.
///
/// The file is YAML (or JSON): a mapping with the key `rules`, a list of mappings with
///   pattern: shell-style pattern over channel names (`*`, `?`)
///   basic:   list of {user, password} or {user, passwordSha256}
///   bearer:  list of {token} or {tokenSha256}
///   public:  true for channels that stay public although a later rule matches them
/// The first rule whose pattern matches decides about a channel; a channel that none matches is public. A
/// rule without credentials hides its channels from all audiences. Anything else in the file is an error, so
/// that a typo never opens a channel.
class PrivateChannels {
 public:
  /// Position of the rule that decides about a channel; nothing for a public channel.
  using RuleIndex = std::optional<std::size_t>;

  /// Returns no rules: everything is public, and credentials are ignored.
  static std::shared_ptr<const PrivateChannels> none();
  /// Reads rules; `source` is the file's name for messages. Every error names file and line.
  static Result<std::shared_ptr<const PrivateChannels>> parse(std::string_view text,
                                                              const std::string& source);
  static Result<std::shared_ptr<const PrivateChannels>> load(const std::string& file);

  bool empty() const { return rules_.empty(); }
  RuleIndex rule_of(std::string_view channel) const;

  /// Returns the audience of an Authorization header's value: the public audience without one (or without
  /// rules), nothing for wrong credentials or a scheme that is not offered. Takes the same time for every
  /// wrong secret.
  std::optional<AudienceIndex> authenticate(std::optional<std::string_view> authorization) const;

  /// Flags of the rules, by position: true for each that an audience opens.
  using OpenRules = std::vector<bool>;
  /// Returns the rules that each audience opens. Each distinct set of rules that some credential opens is one
  /// audience.
  const std::vector<OpenRules>& audiences() const { return audiences_; }
  bool opens(AudienceIndex audience, RuleIndex rule) const { return !rule || audiences_[audience][*rule]; }
  /// Returns the rules that open the graph of a channel of `rule`, as far as its releases name other
  /// channels: that rule alone.
  OpenRules only(RuleIndex rule) const;

  /// Returns the view of a snapshot for an audience: the public channels, and those of the rules that it
  /// opens.
  graph::View view(const OpenRules& open, const graph::Snapshot& snapshot) const;

  /// Returns the patterns of hiding rules that decide about no channel of a snapshot, in the order of the
  /// file: a typo there, or an earlier rule that matches as well, leaves a channel public.
  std::vector<std::string> unused(const graph::Snapshot& snapshot) const;

  /// Returns a text that changes whenever the rules do, and reveals nothing about the secrets in them.
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  struct Rule {
    std::string pattern;
    bool open = false;
  };
  /// A credential, as the SHA-256 of what has to be presented: "basic\0user\0" + hash of the password, or
  /// "bearer\0" + hash of the token.
  struct Credential {
    std::string digest;
    AudienceIndex audience = public_audience;
  };
  class Reader;

  static std::optional<std::string> presented_digest(std::string_view authorization);
  static std::string basic_digest(std::string_view user, std::string_view password_sha256);
  static std::string bearer_digest(std::string_view token_sha256);

  std::vector<Rule> rules_;
  std::vector<Credential> credentials_;
  std::vector<OpenRules> audiences_{{}};
  std::string fingerprint_;
};

}  // namespace fairway::updateservice
