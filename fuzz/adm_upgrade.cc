// SPDX-License-Identifier: Apache-2.0

// Whatever a server or a file says of a cluster: the commands of `adm upgrade` end, and a request is a patch
// of the ClusterVersion. The first line of the input is a version or image, the rest a JSON object with
// `cluster`, `operators`, `pools`, `configs`, `nodes` and `alerts`.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "adm/other_channels.h"
#include "adm/recommend/recommend.h"
#include "adm/request.h"
#include "adm/rollback.h"
#include "adm/show.h"
#include "adm/status/status.h"
#include "adm/why.h"
#include "base/json.h"
#include "base/yaml_text.h"
#include "k8s/view.h"

using namespace fairway;

namespace {

template <class T>
std::vector<T> objects(const k8s::View& input, std::string_view name) {
  std::vector<T> list;
  for (const k8s::View& item : input.items(name)) list.emplace_back(json::Object(item.json()));
  return list;
}

void check(const adm::CommandResult& answer) {
  if (answer.patch && !answer.patch->body.contains("spec")) std::abort();
  if (answer.failed() && !answer.err.contains("error: ")) std::abort();
  to_yaml(json::Value(answer.data));
}

void ask(const std::string& target, const openshift::ClusterVersion& cluster) {
  for (const adm::RequestFlags& flags :
       {adm::RequestFlags{.to = target, .allow_not_recommended = true},
        adm::RequestFlags{.to_image = target, .allow_upgrade_with_warnings = true, .force = true},
        adm::RequestFlags{.to_latest = true}, adm::RequestFlags{.to_multi_arch = true},
        adm::RequestFlags{.clear = true}}) {
    adm::CommandResult checked = adm::check(flags);
    if (!checked.failed()) check(adm::request(flags, cluster, std::move(checked)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  if (end == text.npos) return 0;
  const std::string target(text.substr(0, end));
  const auto document = json::parse(text.substr(end + 1));
  if (!document || !document->is_object()) return 0;
  const k8s::View input(document->get_object());
  const openshift::ClusterVersion cluster(json::Object(input.at("cluster").json()));

  check(adm::show({.include_not_recommended = true, .wide = true}, cluster));
  ask(target, cluster);
  check(adm::roll_back(cluster));
  const adm::RecommendFlags one{.version = target};
  const auto prechecks = adm::check_alerts(input.text("alerts"));
  check(adm::recommend({}, cluster, prechecks));
  if (!adm::check(one).failed()) check(adm::recommend(one, cluster, prechecks));
  if (!adm::check_why(target).failed()) check(adm::why(target, cluster, std::string(input.text("alerts"))));
  adm::architecture_of(cluster);
  adm::StatusInput status{.cluster = cluster,
                          .operators = objects<openshift::ClusterOperator>(input, "operators"),
                          .pools = objects<k8s::Dynamic>(input, "pools"),
                          .configs = objects<k8s::Dynamic>(input, "configs"),
                          .nodes = objects<k8s::Dynamic>(input, "nodes"),
                          .alerts = std::string(input.text("alerts"))};
  status.now = status.machine_now = WallTime(std::chrono::seconds(1'700'000'000));
  check(adm::status({.details = "all"}, status));
  return 0;
}
