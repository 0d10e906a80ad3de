// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/resources/config_strategies.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "apiserver/internal/resources/same_value.h"
#include "base/base64.h"
#include "k8s/names.h"

namespace fairway::apiserver::resources {
namespace {

using k8s::Dynamic;
using k8s::FieldError;
using Errors = std::vector<FieldError>;

constexpr std::size_t most_bytes = std::size_t{1} << 20;

std::string keyed(std::string_view member, std::string_view key) {
  return std::string(member) + "[" + std::string(key) + "]";
}

Errors check_immutable(const Dynamic& object, const Dynamic* old,
                       std::initializer_list<std::string_view> fields) {
  Errors errors;
  if (old == nullptr || !old->flag("immutable")) return errors;
  constexpr std::string_view why = "field is immutable when `immutable` is set";
  if (!object.flag("immutable")) errors.push_back(FieldError::forbidden("immutable", why));
  for (const std::string_view field : fields) {
    if (!same_at(object, *old, field)) errors.push_back(FieldError::forbidden(field, why));
  }
  return errors;
}

k8s::Faults check_key(std::string_view key) {
  constexpr std::size_t longest = 253;
  k8s::Faults faults;
  if (key.size() > longest) faults.emplace_back("must be no more than 253 characters");
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  if (key.empty() || !std::ranges::all_of(key, fits)) {
    faults.emplace_back(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  "
        "or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')");
  } else if (key == ".") {
    faults.emplace_back("must not be '.'");
  } else if (key == "..") {
    faults.emplace_back("must not be '..'");
  } else if (key.starts_with("..")) {
    faults.emplace_back("must not start with '..'");
  }
  return faults;
}

/// Returns the number of bytes that base64 stands for.
std::size_t decoded_size(std::string_view text) {
  std::size_t size = text.size() / 4 * 3;
  for (; text.ends_with('=') && size > 0; text.remove_suffix(1)) --size;
  return size;
}

void check_keys(Errors& errors, const Dynamic& object, std::string_view member) {
  for (const auto& [key, value] : object.map(member)) {
    for (const std::string& fault : check_key(key))
      errors.push_back(FieldError::invalid(keyed(member, key), json::Value(key), fault));
    if (member == "data" && object.map("binaryData").contains(key)) {
      errors.push_back(FieldError::invalid(keyed(member, key), json::Value(key),
                                           "duplicate of key present in binaryData"));
    }
  }
}

class ConfigMapStrategy final : public Strategy {
 public:
  Errors validate(const Dynamic& object, const Dynamic* old, Part) const override {
    Errors errors = check_immutable(object, old, {"data", "binaryData"});
    check_keys(errors, object, "data");
    check_keys(errors, object, "binaryData");
    std::size_t size = 0;
    for (const auto& [key, value] : object.map("data")) size += value.size();
    for (const auto& [key, value] : object.map("binaryData")) size += decoded_size(value);
    // Of no field: of the object as a whole.
    if (size > most_bytes) errors.push_back(FieldError::too_long("[]", most_bytes));
    return errors;
  }
};

/// The keys that a Secret of a type must have.
struct SecretType {
  std::string_view name;
  /// Required keys; the second one may be empty.
  std::array<std::string_view, 2> keys;
  /// True if one of the keys is enough.
  bool any = false;
  /// True if a key without value counts as missing.
  bool filled = false;
  /// True if the values are JSON objects.
  bool json = false;
};

constexpr std::array secret_types{
    SecretType{"kubernetes.io/dockercfg", {".dockercfg"}, false, false, true},
    SecretType{"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}, false, false, true},
    SecretType{"kubernetes.io/basic-auth", {"username", "password"}, true},
    SecretType{"kubernetes.io/ssh-auth", {"ssh-privatekey"}, false, true},
    SecretType{"kubernetes.io/tls", {"tls.crt", "tls.key"}}};

/// Returns Go's error for a text that is no JSON object; empty if it is one.
std::string json_fault(std::string_view encoded) {
  const auto text = base64_decode(encoded);
  const auto value = text ? json::parse(*text) : Result<json::Value>(json::Value());
  if (value && value->is_object()) return {};
  if (value) {
    const std::string_view kind = value->is_array()    ? "array"
                                  : value->is_string() ? "string"
                                  : value->is_bool()   ? "bool"
                                                       : "number";
    if (value->is_null()) return {};
    return "json: cannot unmarshal " + std::string(kind) + " into Go value of type map[string]interface {}";
  }
  if (text->empty()) return "unexpected end of JSON input";
  return "invalid character '" + text->substr(0, 1) + "' looking for beginning of value";
}

void check_type(Errors& errors, const Dynamic& secret) {
  constexpr std::string_view account = "kubernetes.io/service-account.name";
  const std::string_view type = secret.text("type");
  if (type == "kubernetes.io/service-account-token" && secret.annotation(account).empty())
    errors.push_back(FieldError::required(keyed("metadata.annotations", account), ""));
  const auto* known = std::ranges::find(secret_types, type, &SecretType::name);
  if (known == secret_types.end()) return;
  const k8s::StringMap data = secret.map("data");
  const auto has = [&](std::string_view key) {
    const auto value = data.find(key);
    return value && (!known->filled || !value->empty());
  };
  if (known->any && std::ranges::any_of(known->keys, has)) return;
  for (const std::string_view key : known->keys) {
    if (key.empty()) continue;
    if (!has(key)) {
      errors.push_back(FieldError::required(keyed("data", key), ""));
    } else if (known->json) {
      const std::string fault = json_fault(*data.find(key));
      if (!fault.empty()) {
        errors.push_back(
            FieldError::invalid(keyed("data", key), json::Value("<secret contents redacted>"), fault));
      }
    }
  }
}

class SecretStrategy final : public Strategy {
 public:
  void prepare_for_create(Dynamic& object) const override {
    prepare(object);
    if (object.text("type").empty()) object.set("type", "Opaque");
  }
  void prepare_for_update(Dynamic& object, const Dynamic& old, Part) const override {
    prepare(object);
    if (object.text("type").empty()) object.set("type", old.text("type"));
  }
  Errors validate(const Dynamic& object, const Dynamic* old, Part) const override {
    Errors errors = check_immutable(object, old, {"data"});
    if (old != nullptr && object.text("type") != old->text("type")) {
      errors.insert(errors.begin(),
                    FieldError::invalid("type", json::Value(object.text("type")), "field is immutable"));
    }
    check_keys(errors, object, "data");
    std::size_t size = 0;
    for (const auto& [key, value] : object.map("data")) size += decoded_size(value);
    if (size > most_bytes) errors.push_back(FieldError::too_long("data", most_bytes));
    check_type(errors, object);
    return errors;
  }
  /// Warns of a certificate without PEM data, which no server could use. The content of the PEM is not
  /// checked.
  std::vector<std::string> warnings(const Dynamic& object, const Dynamic*) const override {
    if (object.text("type") != "kubernetes.io/tls") return {};
    const auto certificate = base64_decode(object.map("data").find("tls.crt").value_or(""));
    if (!certificate || certificate->find("-----BEGIN") != std::string::npos) return {};
    return {"tls: failed to find any PEM data in certificate input"};
  }

 private:
  /// Moves stringData, which is write-only, into data.
  static void prepare(Dynamic& object) {
    if (const json::Value* texts = object.find("stringData"); texts != nullptr && texts->is_object()) {
      const json::Object copy = texts->get_object();
      for (const auto& [key, text] : k8s::StringMap(&copy)) {
        object.set_entry("data", key, base64_encode(text));
      }
    }
    object.erase("stringData");
  }
};

}  // namespace

std::shared_ptr<const Strategy> config_map_strategy() {
  return std::make_shared<ConfigMapStrategy>();
}

std::shared_ptr<const Strategy> secret_strategy() {
  return std::make_shared<SecretStrategy>();
}

}  // namespace fairway::apiserver::resources
