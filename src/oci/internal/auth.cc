// SPDX-License-Identifier: Apache-2.0

#include "oci/internal/auth.h"

#include <utility>

#include "base/file.h"
#include "base/json.h"
#include "base/json_unambiguous.h"
#include "base/text.h"
#include "http/credentials.h"

namespace fairway::oci {

namespace {

constexpr std::size_t max_auth_file = 1 << 20;

/// Returns the name of a host; Docker Hub is known under several.
std::string_view canonical_host(std::string_view host) {
  if (host == "index.docker.io" || host == "registry-1.docker.io") return "docker.io";
  return host;
}

/// Returns the normalized key of an auth file: "https://index.docker.io/v1/" and "docker.io" are one key.
std::string normalize(std::string_view key) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (key.starts_with(scheme)) key.remove_prefix(scheme.size());
  }
  while (key.ends_with('/')) key.remove_suffix(1);
  const auto slash = key.find('/');
  const auto host = canonical_host(key.substr(0, slash));
  const auto path = slash == std::string_view::npos ? std::string_view{} : key.substr(slash);
  if (path.empty() || path == "/v1" || path == "/v2") return std::string(host);
  return std::string(host) + std::string(path);
}

Result<Credentials> read_entry(const std::string& key, const json::Object& object) {
  const auto broken = [&key](const std::string& why) {
    return fail(ErrorCode::invalid, "the entry \"" + printable(key) + "\" of `auths` " + why);
  };
  const auto text_of = [&object](std::string_view name) -> Result<std::string> {
    const auto* value = object.if_contains(name);
    if (value == nullptr || value->is_null()) return std::string();
    if (!value->is_string()) return fail(ErrorCode::invalid, "`" + std::string(name) + "` that is no string");
    return std::string(value->get_string());
  };
  Credentials credentials;
  credentials.entry = key;
  std::string auth;
  for (auto [name, to] : {std::pair{"auth", &auth}, std::pair{"username", &credentials.username},
                          std::pair{"password", &credentials.password},
                          std::pair{"identitytoken", &credentials.identity_token}}) {
    auto value = text_of(name);
    if (!value) return broken("has a " + value.error().message);
    *to = *std::move(value);
  }
  if (!auth.empty()) {
    auto decoded = http::decode_basic(auth);
    if (!decoded) return broken("has an `auth` that is not the base64 of USER:PASSWORD");
    credentials.username = std::move(decoded->username);
    credentials.password = std::move(decoded->password);
    // As Docker reads it: zero bytes at the end do not count.
    while (credentials.password.ends_with('\0')) credentials.password.pop_back();
  }
  return credentials;
}

/// Returns the keys under which a repository may be found: "registry/a/b", "registry/a", "registry".
std::vector<std::string> candidates(std::string_view registry, std::string_view repository) {
  std::string key = std::string(canonical_host(registry)) + "/" + std::string(repository);
  std::vector<std::string> keys;
  while (true) {
    keys.push_back(key);
    const auto slash = key.rfind('/');
    if (slash == std::string::npos) return keys;
    key.resize(slash);
  }
}

}  // namespace

Result<AuthFile> AuthFile::load(const std::string& path) {
  auto text = read_file(path, max_auth_file);
  if (!text) return fail(text.error().within("reading the auth file"));
  return parse(*text, path);
}

Result<AuthFile> AuthFile::parse(std::string_view text, std::string name) {
  const std::string doing = "reading the auth file " + name;
  const auto document = json::parse_unambiguous(text);
  if (!document) return fail(document.error().within(doing));
  if (!document->is_object()) {
    return fail(ErrorCode::invalid, doing + ": it is no JSON object with a key `auths`");
  }
  AuthFile file;
  file.name_ = std::move(name);
  const auto* helpers = json::find(*document, "credHelpers");
  if (helpers != nullptr && helpers->is_object()) {
    for (const auto& [key, helper] : helpers->get_object()) {
      file.in_helpers_.emplace(
          normalize(key), helper.is_string() ? std::string(helper.get_string()) : std::string("unknown"));
    }
  }
  const auto store = json::find_string(*document, "credsStore");
  const auto* auths = json::find(*document, "auths");
  if (auths == nullptr) return file;
  if (!auths->is_object()) return fail(ErrorCode::invalid, doing + ": `auths` is no object");
  for (const auto& [key, value] : auths->get_object()) {
    if (!value.is_object()) {
      return fail(ErrorCode::invalid,
                  doing + ": the entry \"" + printable(key) + "\" of `auths` is no object");
    }
    auto entry = read_entry(key, value.get_object());
    if (!entry) return fail(entry.error().within(doing));
    if (entry->username.empty() && entry->identity_token.empty()) {
      // Docker leaves an empty entry where the secret went to its store.
      if (store && !store->empty()) file.in_helpers_.emplace(normalize(key), std::string(*store));
      continue;
    }
    file.entries_.insert_or_assign(normalize(key), *std::move(entry));
  }
  return file;
}

Result<std::optional<Credentials>> AuthFile::find(std::string_view registry,
                                                  std::string_view repository) const {
  for (const auto& key : candidates(registry, repository)) {
    if (const auto entry = entries_.find(key); entry != entries_.end()) return entry->second;
    if (const auto helper = in_helpers_.find(key); helper != in_helpers_.end()) {
      return fail(ErrorCode::unsupported,
                  "the auth file " + name_ + " leaves the credentials of \"" + key +
                      "\" to the credential helper \"" + printable(helper->second) +
                      "\", which Fairway does not run: put them into the file itself, for example with "
                      "`podman login --authfile FILE " +
                      std::string(registry) + "`");
    }
  }
  return std::nullopt;
}

std::string AuthFile::describe_missing(std::string_view registry, std::string_view repository) const {
  if (name_.empty()) return "no auth file was given; name one with --auth-file";
  return "the auth file " + name_ + " has no entry for it (looked for \"" +
         join(candidates(registry, repository), "\", \"") + "\")";
}

std::vector<Challenge> parse_challenges(std::string_view header) {
  std::vector<Challenge> challenges;
  std::size_t at = 0;
  const auto skip = [&](std::string_view characters) {
    at = std::min(header.find_first_not_of(characters, at), header.size());
  };
  const auto token = [&] {
    const auto end = std::min(header.find_first_of(" \t,=\"", at), header.size());
    const auto text = header.substr(at, end - at);
    at = end;
    return text;
  };
  while (true) {
    skip(" \t,");
    if (at == header.size()) return challenges;
    const auto word = token();
    if (word.empty()) return challenges;
    skip(" \t");
    const bool parameter = at < header.size() && header[at] == '=';
    if (!parameter) {
      challenges.push_back({to_lower(word), {}});
      continue;
    }
    if (challenges.empty()) return challenges;
    ++at;
    skip(" \t");
    std::string value;
    if (at < header.size() && header[at] == '"') {
      for (++at; at < header.size() && header[at] != '"'; ++at) {
        if (header[at] == '\\' && at + 1 < header.size()) ++at;
        value += header[at];
      }
      if (at == header.size()) return challenges;
      ++at;
    } else {
      value = token();
    }
    challenges.back().parameters.insert_or_assign(to_lower(word), std::move(value));
  }
}

}  // namespace fairway::oci
