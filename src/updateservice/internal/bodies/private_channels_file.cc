// SPDX-License-Identifier: Apache-2.0

// The file of rules for private channels: its format, and what is wrong with it.
#include <algorithm>
#include <map>
#include <set>

#include "base/digest.h"
#include "base/file.h"
#include "base/text.h"
#include "base/yaml.h"
#include "updateservice/internal/bodies/private_channels.h"

namespace fairway::updateservice {
namespace {

constexpr std::size_t max_rules_bytes = 1 << 20;

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

/// Reads the file's document into rules, and collects the rules that each credential opens.
class PrivateChannels::Reader {
 public:
  Reader(PrivateChannels& target, const std::string& source) : target_(target), source_(source) {}

  Result<void> read(const yaml::Node& document) {
    if (auto ok = known_keys(document, {"rules"}); !ok) return ok;
    const yaml::Node* rules = document.find("rules");
    if (rules == nullptr || rules->kind != yaml::Node::Kind::sequence) {
      return wrong(document, "the key `rules` with a list of rules is missing");
    }
    for (const yaml::Node& rule : rules->items) {
      if (auto ok = read_rule(rule); !ok) return ok;
    }
    return finish();
  }

 private:
  std::unexpected<Error> wrong(const yaml::Node& node, const std::string& what) const {
    return fail(ErrorCode::invalid, source_ + ":" + std::to_string(node.mark.line) + ":" +
                                        std::to_string(node.mark.column) + ": " + what +
                                        "; docs/private-channels.md has the format");
  }

  Result<void> known_keys(const yaml::Node& node, std::initializer_list<std::string_view> keys) const {
    if (node.kind != yaml::Node::Kind::mapping) return wrong(node, "a mapping is expected here");
    for (const auto& [key, value] : node.entries) {
      if (std::find(keys.begin(), keys.end(), key.scalar) == keys.end()) {
        return wrong(key, "unknown key `" + printable(key.scalar) + "`");
      }
    }
    return {};
  }

  Result<std::string> text(const yaml::Node& parent, std::string_view key) const {
    const yaml::Node* node = parent.find(key);
    if (node == nullptr) return wrong(parent, "the key `" + std::string(key) + "` is missing");
    if (!node->is_scalar() || node->scalar.empty()) {
      return wrong(*node, "`" + std::string(key) + "` has to be a text that is not empty");
    }
    return node->scalar;
  }

  /// Returns the SHA-256 of a secret that is given in plain or as its hash; both or neither is an error.
  Result<std::string> secret(const yaml::Node& parent, std::string_view plain,
                             std::string_view hashed) const {
    if ((parent.find(plain) == nullptr) == (parent.find(hashed) == nullptr)) {
      return wrong(parent, "either `" + std::string(plain) + "` or `" + std::string(hashed) + "` is needed");
    }
    if (parent.find(plain) != nullptr) {
      auto value = text(parent, plain);
      if (!value) return fail(value.error());
      return sha256_hex(*value);
    }
    auto value = text(parent, hashed);
    if (!value) return fail(value.error());
    if (!is_sha256(*value)) {
      return wrong(*parent.find(hashed), "`" + std::string(hashed) + "` has to be 64 hexadecimal digits");
    }
    return to_lower(*value);
  }

  Result<void> read_rule(const yaml::Node& node) {
    if (auto ok = known_keys(node, {"pattern", "basic", "bearer", "public"}); !ok) return ok;
    auto pattern = text(node, "pattern");
    if (!pattern) return fail(pattern.error());
    Rule rule{.pattern = *pattern};
    const std::size_t index = target_.rules_.size();
    if (const yaml::Node* open = node.find("public")) {
      if (!open->is_scalar() || (open->scalar != "true" && open->scalar != "false")) {
        return wrong(*open, "`public` has to be true or false");
      }
      rule.open = open->scalar == "true";
    }
    if (rule.open && (node.find("basic") != nullptr || node.find("bearer") != nullptr)) {
      return wrong(node, "a public rule has no credentials");
    }
    target_.rules_.push_back(rule);
    if (auto ok = read_credentials(node, "basic", index); !ok) return ok;
    return read_credentials(node, "bearer", index);
  }

  Result<void> read_credentials(const yaml::Node& rule, std::string_view kind, std::size_t index) {
    const yaml::Node* list = rule.find(kind);
    if (list == nullptr) return {};
    if (list->kind != yaml::Node::Kind::sequence)
      return wrong(*list, "`" + std::string(kind) + "` has to be a list");
    for (const yaml::Node& node : list->items) {
      auto digest = kind == "basic" ? read_basic(node) : read_bearer(node);
      if (!digest) return fail(digest.error());
      opened_[*digest].insert(index);
    }
    return {};
  }

  Result<std::string> read_basic(const yaml::Node& node) const {
    if (auto ok = known_keys(node, {"user", "password", "passwordSha256"}); !ok) return fail(ok.error());
    auto user = text(node, "user");
    if (!user) return fail(user.error());
    if (user->find(':') != std::string::npos)
      return wrong(node, "a user name cannot hold a colon (RFC 7617)");
    auto hash = secret(node, "password", "passwordSha256");
    if (!hash) return fail(hash.error());
    return basic_digest(*user, *hash);
  }

  Result<std::string> read_bearer(const yaml::Node& node) const {
    if (auto ok = known_keys(node, {"token", "tokenSha256"}); !ok) return fail(ok.error());
    auto hash = secret(node, "token", "tokenSha256");
    if (!hash) return fail(hash.error());
    return bearer_digest(*hash);
  }

  Result<void> finish() {
    const std::size_t count = target_.rules_.size();
    std::map<std::vector<bool>, AudienceIndex> audiences;
    const std::vector<bool> nothing(count);
    target_.audiences_ = {nothing};
    audiences[nothing] = public_audience;
    std::string all;
    for (const Rule& rule : target_.rules_) all += rule.pattern + (rule.open ? "\nopen\n" : "\nclosed\n");
    for (const auto& [digest, rules] : opened_) {
      std::vector<bool> opens = nothing;
      for (const std::size_t rule : rules) opens[rule] = true;
      const auto [found, added] = audiences.try_emplace(opens, target_.audiences_.size());
      if (added) target_.audiences_.push_back(opens);
      target_.credentials_.push_back({digest, found->second});
      all += digest;
      for (const std::size_t rule : rules) all += " " + std::to_string(rule);
    }
    target_.fingerprint_ = sha256_hex(all);
    return {};
  }

  PrivateChannels& target_;
  const std::string& source_;
  std::map<std::string, std::set<std::size_t>> opened_;
};

Result<std::shared_ptr<const PrivateChannels>> PrivateChannels::parse(std::string_view text,
                                                                      const std::string& source) {
  auto parsed = yaml::parse(text);
  if (!parsed) {
    return fail(ErrorCode::invalid, source + ":" + std::to_string(parsed.error().mark.line) + ":" +
                                        std::to_string(parsed.error().mark.column) + ": " +
                                        parsed.error().message);
  }
  if (!parsed->duplicate_keys.empty()) {
    const yaml::DuplicateKey& twice = parsed->duplicate_keys.front();
    return fail(ErrorCode::invalid, source + ":" + std::to_string(twice.repeated.line) + ": the key `" +
                                        printable(twice.key) + "` stands twice; leave one of them out");
  }
  if (parsed->documents.size() != 1) {
    return fail(ErrorCode::invalid, source + ": exactly one YAML document is expected, there are " +
                                        std::to_string(parsed->documents.size()));
  }
  auto rules = std::make_shared<PrivateChannels>();
  if (auto ok = Reader(*rules, source).read(parsed->documents.front()); !ok) return fail(ok.error());
  return rules;
}

Result<std::shared_ptr<const PrivateChannels>> PrivateChannels::load(const std::string& file) {
  auto text = read_file(file, max_rules_bytes);
  if (!text) return fail(text.error().within("reading the rules for private channels"));
  return parse(*text, file);
}

}  // namespace fairway::updateservice
