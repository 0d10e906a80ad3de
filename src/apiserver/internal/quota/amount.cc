// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/quota/amount.h"

#include <array>

namespace fairway::apiserver::quota {
namespace {

constexpr cel::Nano one = 1'000'000'000;

std::string digits_of(cel::Nano number) {
  if (number == 0) return "0";
  const bool is_negative = number < 0;
  std::string digits;
  for (; number != 0; number /= 10) {
    const auto digit = static_cast<int>(number % 10);
    digits.insert(digits.begin(), static_cast<char>('0' + (digit < 0 ? -digit : digit)));
  }
  return is_negative ? "-" + digits : digits;
}

}  // namespace

Amount Amount::of(std::int64_t count) {
  Amount amount;
  amount.nano_ = static_cast<cel::Nano>(count) * one;
  return amount;
}

Amount Amount::read(const json::Value& value) {
  if (const std::int64_t* count = value.if_int64(); count != nullptr) return of(*count);
  if (!value.is_string()) return {};
  const std::string_view text = value.get_string();
  Amount amount;
  amount.nano_ = cel::parse_quantity(text).value_or(0);
  amount.is_binary_ = text.ends_with('i');
  return amount;
}

Amount& Amount::operator+=(const Amount& other) {
  if (nano_ == 0) is_binary_ = other.is_binary_;
  nano_ += other.nano_;
  return *this;
}

Amount& Amount::operator-=(const Amount& other) {
  if (nano_ == 0) is_binary_ = other.is_binary_;
  nano_ -= other.nano_;
  return *this;
}

std::int64_t Amount::parts(std::int64_t of_a_unit) const {
  const cel::Nano scaled = nano_ * of_a_unit;
  return static_cast<std::int64_t>(scaled / one + (scaled % one > 0 ? 1 : 0));
}

Amount Amount::rounded_up() const {
  Amount whole = *this;
  if (const cel::Nano rest = nano_ % one; rest > 0) whole.nano_ += one - rest;
  return whole;
}

std::string Amount::text() const {
  constexpr int thousand = 1000, kibi = 1024;
  const cel::Nano whole = rounded_up().nano_ / one;
  if (is_binary_ && (whole >= kibi || whole <= -kibi)) {
    constexpr std::array suffixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    cel::Nano number = whole;
    std::size_t suffix = 0;
    for (; suffix + 1 < suffixes.size() && number % kibi == 0; ++suffix) number /= kibi;
    return digits_of(number) + suffixes[suffix];
  }
  constexpr std::array suffixes{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"};
  if (nano_ == 0) return "0";
  cel::Nano number = nano_;
  std::size_t suffix = 0;
  for (; suffix + 1 < suffixes.size() && number % thousand == 0; ++suffix) number /= thousand;
  return digits_of(number) + suffixes[suffix];
}

Amounts read_amounts(const json::Value* value) {
  Amounts amounts;
  const json::Object* object = value != nullptr ? value->if_object() : nullptr;
  if (object == nullptr) return amounts;
  for (const auto& member : *object) amounts.emplace(std::string(member.key()), Amount::read(member.value()));
  return amounts;
}

json::Object write_amounts(const Amounts& amounts) {
  json::Object object;
  for (const auto& [name, amount] : amounts) object[name] = amount.text();
  return object;
}

void add(Amounts& amounts, const Amounts& others) {
  for (const auto& [name, amount] : others) amounts[name] += amount;
}

std::string list_amounts(const Amounts& amounts) {
  std::string list;
  for (const auto& [name, amount] : amounts) list += (list.empty() ? "" : ",") + name + "=" + amount.text();
  return list;
}

}  // namespace fairway::apiserver::quota
