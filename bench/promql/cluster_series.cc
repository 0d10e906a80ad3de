// SPDX-License-Identifier: Apache-2.0

#include "cluster_series.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "promql/parser/matcher.h"

namespace fairway::bench {

namespace {

using promql::Label;
using Strings = std::vector<std::string>;

constexpr promql::Timestamp interval = 30'000, length = 65 * 60'000;

/// Labels that targets of one kind add to every series.
const std::vector<Label> from_operator{{"job", "cluster-version-operator"},
                                       {"namespace", "openshift-cluster-version"},
                                       {"endpoint", "metrics"},
                                       {"instance", "10.0.17.31:9099"},
                                       {"pod", "cluster-version-operator-6d8f7b5c9-x2x7p"},
                                       {"service", "cluster-version-operator"},
                                       {"prometheus", "openshift-monitoring/k8s"}};
const std::vector<Label> from_state_metrics{
    {"job", "kube-state-metrics"},         {"endpoint", "https-main"},
    {"container", "kube-rbac-proxy-main"}, {"instance", "10.129.2.14:8443"},
    {"service", "kube-state-metrics"},     {"prometheus", "openshift-monitoring/k8s"}};

class Cluster {
 public:
  promql::SeriesStore take() { return std::move(store_); }
  std::size_t count() const { return store_.series_count(); }

  /// Adds a gauge that stays 1, or has the value that `value` returns for the sample's number.
  void add(
      const std::string& name, std::vector<Label> labels, const std::vector<Label>& target = from_operator,
      const std::function<double(std::size_t)>& value = [](std::size_t) { return 1.0; }) {
    labels.insert(labels.begin(), target.begin(), target.end());
    labels.emplace_back(std::string(promql::metric_name_label), name);
    const auto set = promql::LabelSet::make(std::move(labels));
    constexpr promql::Timestamp begin = cluster_time - length;
    std::size_t number = 0;
    for (promql::Timestamp time = begin; time <= cluster_time; time += interval)
      store_.add(set, time, value(number++));
  }

 private:
  promql::SeriesStore store_;
};

std::string numbered(const std::string& name, std::size_t number) {
  return name + "-" + std::to_string(number);
}

/// Returns a count that changes a little, by a fixed rule.
auto around(std::size_t middle) {
  return [middle](std::size_t number) { return static_cast<double>(middle + number * 7 % 5); };
}

void add_cluster(Cluster& cluster) {
  cluster.add("cluster_infrastructure_provider", {{"type", "AWS"}, {"region", "eu-west-1"}});
  cluster.add("cluster_installer",
              {{"type", "openshift-install"}, {"invoker", "user"}, {"version", "v4.8.0"}});
  for (const char* type : {"initial", "current", "cluster", "completed", "desired", "updating", "failure"}) {
    for (std::size_t minor = 8; minor < 17; ++minor)
      cluster.add("cluster_version",
                  {{"type", type},
                   {"version", "4." + std::to_string(minor) + ".1"},
                   {"image", "quay.io/openshift-release-dev/ocp-release@sha256:" + std::to_string(minor)}});
  }
  cluster.add("cluster_feature_set", {{"name", ""}});
  for (const char* type : {"http", "https", "trusted_ca"})
    cluster.add("cluster_proxy_enabled", {{"type", type}}, from_operator, [](std::size_t) { return 0.0; });
  for (const char* name :
       {"Console", "Insights", "Storage", "CSISnapshot", "NodeTuning", "ImageRegistry", "MachineAPI", "Build",
        "DeploymentConfig", "marketplace", "baremetal", "openshift-samples"})
    cluster.add("cluster_version_capability", {{"name", name}});
  for (const char* mode : {"mint", "passthrough", "manual", "default", "manualpodidentity", "degraded"})
    cluster.add("cco_credentials_mode", {{"mode", mode}}, from_operator,
                [mint = std::string(mode) == "mint"](std::size_t) { return mint ? 1.0 : 0.0; });
  for (std::size_t i = 0; i < 34; ++i) {
    for (const char* condition : {"Available", "Degraded", "Progressing", "Upgradeable"})
      cluster.add("cluster_operator_conditions",
                  {{"name", numbered("operator", i)}, {"condition", condition}, {"reason", "AsExpected"}},
                  from_operator,
                  [up = std::string(condition) == "Available"](std::size_t) { return up ? 1.0 : 0.0; });
  }
}

void add_operators(Cluster& cluster) {
  for (const char* name :
       {"metallb-operator.4.16.0", "kubevirt-hyperconverged-operator.v4.16.1",
        "gpu-operator-certified.v24.3.0", "sriov-network-operator.v4.16.0", "numaresources-operator.v4.16.0",
        "cluster-logging.v5.9.2", "elasticsearch-operator.v5.8.1", "odf-operator.v4.15.2",
        "local-storage-operator.v4.16.0", "web-terminal.v1.10.0"})
    cluster.add("csv_succeeded",
                {{"name", name}, {"version", "4.16.0"}, {"exported_namespace", "openshift-operators"}});
  cluster.add("csv_count", {}, from_operator, around(10));
  for (const char* name : {"ovn.bridge-mappings", "linux-bridge"})
    cluster.add("kubernetes_nmstate_features_applied", {{"name", name}}, from_operator, around(0));
  cluster.add("network_attachment_definition_instances", {{"networks", "any"}}, from_operator, around(3));
  cluster.add("ovnkube_clustermanager_num_egress_ips", {}, from_operator, around(0));
  cluster.add("ceph_health_status", {}, from_operator, [](std::size_t) { return 0.0; });
  for (const char* name : {"ovnkube_controller_ipsec_enabled", "ovnkube_master_ipsec_enabled"}) {
    for (std::size_t node = 0; node < 12; ++node)
      cluster.add(name, {{"node", numbered("ip-10-0", node)}}, from_operator,
                  [](std::size_t) { return 0.0; });
  }
  for (std::size_t node = 0; node < 12; ++node)
    cluster.add("mcd_update_state", {{"node", numbered("ip-10-0", node)},
                                     {"config", "rendered-worker-" + std::to_string(node % 3)},
                                     {"err", ""}});
  for (const char* operation : {"GET", "PUT", "HEAD", "DELETE"}) {
    cluster.add("imageregistry_request_duration_seconds_count", {{"operation", operation}}, from_operator,
                around(100));
    cluster.add("imageregistry_http_request_duration_seconds_count", {{"method", operation}}, from_operator,
                around(90));
  }
}

void add_objects(Cluster& cluster) {
  for (const char* resource :
       {"network-attachment-definitions.k8s.cni.cncf.io", "egressips.k8s.ovn.org", "nodes",
        "containerruntimeconfigs.machineconfiguration.openshift.io",
        "performanceprofiles.performance.openshift.io", "networkpolicies.networking.k8s.io",
        "imagedigestmirrorsets.config.openshift.io", "imagecontentsourcepolicies.operator.openshift.io"})
    cluster.add("apiserver_storage_objects", {{"resource", resource}}, from_operator, around(12));
  for (std::size_t i = 0; i < 260; ++i)
    cluster.add("apiserver_storage_objects", {{"resource", numbered("resources", i) + ".example.io"}},
                from_operator, around(i));
  for (std::size_t i = 0; i < 1300; ++i)
    cluster.add("kube_secret_info",
                {{"namespace", i % 60 == 0   ? "kube-system"
                               : i % 60 == 1 ? "openshift-image-registry"
                                             : numbered("project", i % 60)},
                 {"secret", i == 60   ? "aws-creds"
                            : i == 61 ? "image-registry-private-configuration-user"
                                      : numbered("secret", i)}},
                from_state_metrics);
  for (std::size_t i = 0; i < 900; ++i)
    cluster.add("kube_configmap_info",
                {{"namespace", i < 3 ? "openshift-cloud-controller-manager" : numbered("project", i % 60)},
                 {"configmap", i == 0 ? "cloud-conf" : numbered("configmap", i)}},
                from_state_metrics);
  for (std::size_t i = 0; i < 140; ++i)
    cluster.add("kube_deployment_spec_replicas",
                {{"namespace", i == 0 ? "openshift-image-registry" : numbered("project", i % 60)},
                 {"deployment", i == 0 ? "image-registry" : numbered("deployment", i)}},
                from_state_metrics, around(1));
  for (std::size_t i = 0; i < 520; ++i)
    cluster.add(
        "kube_pod_container_info",
        {{"namespace", numbered("project", i % 60)},
         {"pod", numbered("pod", i)},
         {"container", numbered("container", i % 7)},
         {"image", i == 200 ? "1234.dkr.ecr.eu-west-1.amazonaws.com/team/app:v1"
                            : "quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:" + std::to_string(i)}},
        from_state_metrics);
}

void add_nodes(Cluster& cluster) {
  for (std::size_t node = 0; node < 12; ++node) {
    const std::string name = numbered("ip-10-0", node);
    for (const char* role : {"worker", "master", "control-plane"}) {
      if ((node < 3) != (std::string(role) == "worker"))
        cluster.add("kube_node_role", {{"node", name}, {"role", role}}, from_state_metrics);
    }
    cluster.add("kube_node_labels", {{"node", name}, {"label_node_openshift_io_os_id", "rhcos"}},
                from_state_metrics);
    for (std::size_t cpu = 0; cpu < 8; ++cpu)
      cluster.add("node_cpu_info", {{"node", name},
                                    {"cpu", std::to_string(cpu)},
                                    {"vendor", "GenuineIntel"},
                                    {"family", "6"},
                                    {"model", "106"}});
  }
}

/// Adds series of the names that a cluster has most of, and that the queries do not select.
void add_filler(Cluster& cluster, std::size_t count) {
  const Strings names{"container_memory_working_set_bytes", "container_cpu_usage_seconds_total",
                      "kube_pod_status_phase", "apiserver_request_total",
                      "etcd_request_duration_seconds_bucket"};
  for (std::size_t i = 0; cluster.count() < count; ++i)
    cluster.add(names[i % names.size()],
                {{"namespace", numbered("project", i % 60)},
                 {"pod", numbered("pod", i)},
                 {"node", numbered("ip-10-0", i % 12)}},
                from_state_metrics,
                [i](std::size_t number) { return static_cast<double>(i + number) * 1.25; });
}

}  // namespace

promql::SeriesStore cluster_series(std::size_t count) {
  Cluster cluster;
  add_cluster(cluster);
  add_operators(cluster);
  add_objects(cluster);
  add_nodes(cluster);
  add_filler(cluster, count);
  return cluster.take();
}

}  // namespace fairway::bench
