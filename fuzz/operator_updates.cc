// SPDX-License-Identifier: Apache-2.0

// Whatever an update service answers to an operator: the status that comes of it is one that the API takes,
// it does not change when it is written again, and no update is available that its risks do not allow.
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "k8s/documents.h"
#include "operators/definitions.h"
#include "operators/retrieval.h"
#include "operators/update_lists.h"
#include "risk/rounds.h"
#include "schema/list_types.h"
#include "schema/validator.h"

namespace {

using namespace fairway;
using namespace fairway::operators;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Answers 0 to every query.
class Zero final : public risk::Evaluator {
 public:
  std::string_view name() const override { return "zero"; }
  bool evaluates_batches() const override { return true; }
  std::vector<std::optional<risk::Answer>> evaluate(std::span<const risk::Question* const> due,
                                                    std::span<const risk::Question* const>,
                                                    std::stop_token) override {
    const double zero = 0;
    return std::vector<std::optional<risk::Answer>>(
        due.size(), risk::judge(promql::ValueType::vector, std::span(&zero, 1)));
  }
};

const json::Object& definition() {
  static const json::Value document = k8s::read_documents(definitions()).value().front().value;
  static const json::Object& schema = document.as_object()
                                          .at("spec")
                                          .as_object()
                                          .at("versions")
                                          .as_array()
                                          .front()
                                          .as_object()
                                          .at("schema")
                                          .as_object()
                                          .at("openAPIV3Schema")
                                          .as_object();
  return schema;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 65'536) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Query query{.channel = "stable-4.7", .version = "4.6.23"};
  const auto available = read_available_updates(text, query, "https://example.com/graph");
  static const schema::Validator validator(definition());
  static const risk::Registry registry = risk::standard_registry();
  Zero zero;
  FakeClock clock(parse_time("2026-02-19T12:00:00Z").value());
  risk::Rounds rounds(registry, zero, {}, clock);
  auto cluster = k8s::make<openshift::ClusterVersion>("version");
  cluster.set("spec.clusterID", "897f0a22-33ca-4106-a2c4-29b75250255a");
  UpdateInputs inputs;
  inputs.current.version = "4.6.23";
  inputs.current.image = "registry.example.com/release:4.6.23";
  inputs.retrieved = available ? retrieved() : available.error();
  inputs.registry = &registry;
  inputs.accept_risks = size % 2 == 1;
  inputs.now = clock.now();
  std::vector<risk::UpdateVerdict> verdicts;
  std::set<std::string> allowed;
  if (available) {
    verdicts = rounds.run(available->updates).value();
    inputs.available = &*available;
    inputs.verdicts = verdicts;
    for (const ListedRelease& release : available->unconditional) allowed.insert(release.version);
    for (std::size_t i = 0; i < verdicts.size(); ++i) {
      bool safe = !verdicts[i].risks.empty();
      for (const risk::RiskVerdict& verdict : verdicts[i].risks)
        safe = safe && verdict.outcome == risk::Outcome::does_not_match;
      if (safe) allowed.insert(available->targets[i].version);
    }
  }
  write_updates(cluster, inputs);
  for (const openshift::ReleaseView& release : cluster.available_updates())
    require(allowed.contains(std::string(release.version())));
  const json::Value written(cluster.json());
  require(validator.is_valid(written));
  require(schema::check_list_types(written.get_object(), definition()).empty());
  write_updates(cluster, inputs);
  require(json::Value(cluster.json()) == written);
  return 0;
}
