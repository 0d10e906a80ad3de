// SPDX-License-Identifier: Apache-2.0

// Members of io.k8s.api.core.v1.*. Written by scripts/k8s/openapi-tables.py; do not edit.
#pragma once

#include "k8s/internal/kinds/openapi.h"
#include "k8s/internal/kinds/openapi_meta.h"

namespace fairway::k8s::openapi {

inline constexpr Member config_map_members[] = {
    {"apiVersion", Type::text}, {"binaryData", Type::text_map}, {"data", Type::text_map},
    {"immutable", Type::flag},  {"kind", Type::text},           {"metadata", Type::object, &object_meta}};
inline constexpr Definition config_map{"io.k8s.api.core.v1.ConfigMap", config_map_members};

inline constexpr Member container_port_members[] = {{"containerPort", Type::integer},
                                                    {"hostIP", Type::text},
                                                    {"hostPort", Type::integer},
                                                    {"name", Type::text},
                                                    {"protocol", Type::text}};
inline constexpr Definition container_port{"io.k8s.api.core.v1.ContainerPort", container_port_members};

inline constexpr Member container_members[] = {{"args", Type::text_list},
                                               {"command", Type::text_list},
                                               {"env", Type::object_list},
                                               {"envFrom", Type::object_list},
                                               {"image", Type::text},
                                               {"imagePullPolicy", Type::text},
                                               {"lifecycle", Type::object},
                                               {"livenessProbe", Type::object},
                                               {"name", Type::text},
                                               {"ports", Type::object_list, &container_port},
                                               {"readinessProbe", Type::object},
                                               {"resizePolicy", Type::object_list},
                                               {"resources", Type::object},
                                               {"restartPolicy", Type::text},
                                               {"restartPolicyRules", Type::object_list},
                                               {"securityContext", Type::object},
                                               {"startupProbe", Type::object},
                                               {"stdin", Type::flag},
                                               {"stdinOnce", Type::flag},
                                               {"terminationMessagePath", Type::text},
                                               {"terminationMessagePolicy", Type::text},
                                               {"tty", Type::flag},
                                               {"volumeDevices", Type::object_list},
                                               {"volumeMounts", Type::object_list},
                                               {"workingDir", Type::text}};
inline constexpr Definition container{"io.k8s.api.core.v1.Container", container_members};

inline constexpr Member container_state_running_members[] = {{"startedAt", Type::time}};
inline constexpr Definition container_state_running{"io.k8s.api.core.v1.ContainerStateRunning",
                                                    container_state_running_members};

inline constexpr Member container_state_terminated_members[] = {
    {"containerID", Type::text}, {"exitCode", Type::integer}, {"finishedAt", Type::time},
    {"message", Type::text},     {"reason", Type::text},      {"signal", Type::integer},
    {"startedAt", Type::time}};
inline constexpr Definition container_state_terminated{"io.k8s.api.core.v1.ContainerStateTerminated",
                                                       container_state_terminated_members};

inline constexpr Member container_state_waiting_members[] = {{"message", Type::text}, {"reason", Type::text}};
inline constexpr Definition container_state_waiting{"io.k8s.api.core.v1.ContainerStateWaiting",
                                                    container_state_waiting_members};

inline constexpr Member container_state_members[] = {
    {"running", Type::object, &container_state_running},
    {"terminated", Type::object, &container_state_terminated},
    {"waiting", Type::object, &container_state_waiting}};
inline constexpr Definition container_state{"io.k8s.api.core.v1.ContainerState", container_state_members};

inline constexpr Member container_status_members[] = {{"allocatedResources", Type::other},
                                                      {"allocatedResourcesStatus", Type::object_list},
                                                      {"containerID", Type::text},
                                                      {"image", Type::text},
                                                      {"imageID", Type::text},
                                                      {"lastState", Type::object, &container_state},
                                                      {"name", Type::text},
                                                      {"ready", Type::flag},
                                                      {"resources", Type::object},
                                                      {"restartCount", Type::integer},
                                                      {"started", Type::flag},
                                                      {"state", Type::object, &container_state},
                                                      {"stopSignal", Type::text},
                                                      {"user", Type::object},
                                                      {"volumeMounts", Type::object_list}};
inline constexpr Definition container_status{"io.k8s.api.core.v1.ContainerStatus", container_status_members};

inline constexpr Member object_reference_members[] = {
    {"apiVersion", Type::text}, {"fieldPath", Type::text},       {"kind", Type::text}, {"name", Type::text},
    {"namespace", Type::text},  {"resourceVersion", Type::text}, {"uid", Type::text}};
inline constexpr Definition object_reference{"io.k8s.api.core.v1.ObjectReference", object_reference_members};

inline constexpr Member event_source_members[] = {{"component", Type::text}, {"host", Type::text}};
inline constexpr Definition event_source{"io.k8s.api.core.v1.EventSource", event_source_members};

inline constexpr Member event_members[] = {{"action", Type::text},
                                           {"apiVersion", Type::text},
                                           {"count", Type::integer},
                                           {"eventTime", Type::time},
                                           {"firstTimestamp", Type::time},
                                           {"involvedObject", Type::object, &object_reference},
                                           {"kind", Type::text},
                                           {"lastTimestamp", Type::time},
                                           {"message", Type::text},
                                           {"metadata", Type::object, &object_meta},
                                           {"reason", Type::text},
                                           {"related", Type::object, &object_reference},
                                           {"reportingComponent", Type::text},
                                           {"reportingInstance", Type::text},
                                           {"series", Type::object},
                                           {"source", Type::object, &event_source},
                                           {"type", Type::text}};
inline constexpr Definition event{"io.k8s.api.core.v1.Event", event_members};

inline constexpr Member port_status_members[] = {
    {"error", Type::text}, {"port", Type::integer}, {"protocol", Type::text}};
inline constexpr Definition port_status{"io.k8s.api.core.v1.PortStatus", port_status_members};

inline constexpr Member load_balancer_ingress_members[] = {{"hostname", Type::text},
                                                           {"ip", Type::text},
                                                           {"ipMode", Type::text},
                                                           {"ports", Type::object_list, &port_status}};
inline constexpr Definition load_balancer_ingress{"io.k8s.api.core.v1.LoadBalancerIngress",
                                                  load_balancer_ingress_members};

inline constexpr Member load_balancer_status_members[] = {
    {"ingress", Type::object_list, &load_balancer_ingress}};
inline constexpr Definition load_balancer_status{"io.k8s.api.core.v1.LoadBalancerStatus",
                                                 load_balancer_status_members};

inline constexpr Member local_object_reference_members[] = {{"name", Type::text}};
inline constexpr Definition local_object_reference{"io.k8s.api.core.v1.LocalObjectReference",
                                                   local_object_reference_members};

inline constexpr Member taint_members[] = {
    {"effect", Type::text}, {"key", Type::text}, {"timeAdded", Type::time}, {"value", Type::text}};
inline constexpr Definition taint{"io.k8s.api.core.v1.Taint", taint_members};

inline constexpr Member node_spec_members[] = {
    {"configSource", Type::object}, {"externalID", Type::text}, {"podCIDR", Type::text},
    {"podCIDRs", Type::text_list},  {"providerID", Type::text}, {"taints", Type::object_list, &taint},
    {"unschedulable", Type::flag}};
inline constexpr Definition node_spec{"io.k8s.api.core.v1.NodeSpec", node_spec_members};

inline constexpr Member node_address_members[] = {{"address", Type::text}, {"type", Type::text}};
inline constexpr Definition node_address{"io.k8s.api.core.v1.NodeAddress", node_address_members};

inline constexpr Member node_condition_members[] = {{"lastHeartbeatTime", Type::time},
                                                    {"lastTransitionTime", Type::time},
                                                    {"message", Type::text},
                                                    {"reason", Type::text},
                                                    {"status", Type::text},
                                                    {"type", Type::text}};
inline constexpr Definition node_condition{"io.k8s.api.core.v1.NodeCondition", node_condition_members};

inline constexpr Member node_status_members[] = {{"addresses", Type::object_list, &node_address},
                                                 {"allocatable", Type::other},
                                                 {"capacity", Type::other},
                                                 {"conditions", Type::object_list, &node_condition},
                                                 {"config", Type::object},
                                                 {"daemonEndpoints", Type::object},
                                                 {"declaredFeatures", Type::text_list},
                                                 {"features", Type::object},
                                                 {"images", Type::object_list},
                                                 {"nodeInfo", Type::object},
                                                 {"phase", Type::text},
                                                 {"runtimeHandlers", Type::object_list},
                                                 {"volumesAttached", Type::object_list},
                                                 {"volumesInUse", Type::text_list}};
inline constexpr Definition node_status{"io.k8s.api.core.v1.NodeStatus", node_status_members};

inline constexpr Member node_members[] = {{"apiVersion", Type::text},
                                          {"kind", Type::text},
                                          {"metadata", Type::object, &object_meta},
                                          {"spec", Type::object, &node_spec},
                                          {"status", Type::object, &node_status}};
inline constexpr Definition node{"io.k8s.api.core.v1.Node", node_members};

inline constexpr Member pod_spec_members[] = {
    {"activeDeadlineSeconds", Type::integer},
    {"affinity", Type::object},
    {"automountServiceAccountToken", Type::flag},
    {"containers", Type::object_list, &container},
    {"dnsConfig", Type::object},
    {"dnsPolicy", Type::text},
    {"enableServiceLinks", Type::flag},
    {"ephemeralContainers", Type::object_list},
    {"hostAliases", Type::object_list},
    {"hostIPC", Type::flag},
    {"hostNetwork", Type::flag},
    {"hostPID", Type::flag},
    {"hostUsers", Type::flag},
    {"hostname", Type::text},
    {"hostnameOverride", Type::text},
    {"imagePullSecrets", Type::object_list, &local_object_reference},
    {"initContainers", Type::object_list, &container},
    {"nodeName", Type::text},
    {"nodeSelector", Type::text_map},
    {"os", Type::object},
    {"overhead", Type::other},
    {"preemptionPolicy", Type::text},
    {"priority", Type::integer},
    {"priorityClassName", Type::text},
    {"readinessGates", Type::object_list},
    {"resourceClaims", Type::object_list},
    {"resources", Type::object},
    {"restartPolicy", Type::text},
    {"runtimeClassName", Type::text},
    {"schedulerName", Type::text},
    {"schedulingGates", Type::object_list},
    {"schedulingGroup", Type::object},
    {"securityContext", Type::object},
    {"serviceAccount", Type::text},
    {"serviceAccountName", Type::text},
    {"setHostnameAsFQDN", Type::flag},
    {"shareProcessNamespace", Type::flag},
    {"subdomain", Type::text},
    {"terminationGracePeriodSeconds", Type::integer},
    {"tolerations", Type::object_list},
    {"topologySpreadConstraints", Type::object_list},
    {"volumes", Type::object_list}};
inline constexpr Definition pod_spec{"io.k8s.api.core.v1.PodSpec", pod_spec_members};

inline constexpr Member pod_condition_members[] = {
    {"lastProbeTime", Type::time}, {"lastTransitionTime", Type::time},
    {"message", Type::text},       {"observedGeneration", Type::integer},
    {"reason", Type::text},        {"status", Type::text},
    {"type", Type::text}};
inline constexpr Definition pod_condition{"io.k8s.api.core.v1.PodCondition", pod_condition_members};

inline constexpr Member pod_ip_members[] = {{"ip", Type::text}};
inline constexpr Definition pod_ip{"io.k8s.api.core.v1.PodIP", pod_ip_members};

inline constexpr Member pod_status_members[] = {
    {"allocatedResources", Type::other},
    {"conditions", Type::object_list, &pod_condition},
    {"containerStatuses", Type::object_list, &container_status},
    {"ephemeralContainerStatuses", Type::object_list, &container_status},
    {"extendedResourceClaimStatus", Type::object},
    {"hostIP", Type::text},
    {"hostIPs", Type::object_list},
    {"initContainerStatuses", Type::object_list, &container_status},
    {"message", Type::text},
    {"nodeAllocatableResourceClaimStatuses", Type::object_list},
    {"nominatedNodeName", Type::text},
    {"observedGeneration", Type::integer},
    {"phase", Type::text},
    {"podIP", Type::text},
    {"podIPs", Type::object_list, &pod_ip},
    {"qosClass", Type::text},
    {"reason", Type::text},
    {"resize", Type::text},
    {"resourceClaimStatuses", Type::object_list},
    {"resources", Type::object},
    {"startTime", Type::time}};
inline constexpr Definition pod_status{"io.k8s.api.core.v1.PodStatus", pod_status_members};

inline constexpr Member pod_members[] = {{"apiVersion", Type::text},
                                         {"kind", Type::text},
                                         {"metadata", Type::object, &object_meta},
                                         {"spec", Type::object, &pod_spec},
                                         {"status", Type::object, &pod_status}};
inline constexpr Definition pod{"io.k8s.api.core.v1.Pod", pod_members};

inline constexpr Member pod_template_spec_members[] = {{"metadata", Type::object, &object_meta},
                                                       {"spec", Type::object, &pod_spec}};
inline constexpr Definition pod_template_spec{"io.k8s.api.core.v1.PodTemplateSpec",
                                              pod_template_spec_members};

inline constexpr Member secret_members[] = {{"apiVersion", Type::text},
                                            {"data", Type::text_map},
                                            {"immutable", Type::flag},
                                            {"kind", Type::text},
                                            {"metadata", Type::object, &object_meta},
                                            {"stringData", Type::text_map},
                                            {"type", Type::text}};
inline constexpr Definition secret{"io.k8s.api.core.v1.Secret", secret_members};

inline constexpr Member service_port_members[] = {{"appProtocol", Type::text}, {"name", Type::text},
                                                  {"nodePort", Type::integer}, {"port", Type::integer},
                                                  {"protocol", Type::text},    {"targetPort", Type::other}};
inline constexpr Definition service_port{"io.k8s.api.core.v1.ServicePort", service_port_members};

inline constexpr Member service_spec_members[] = {{"allocateLoadBalancerNodePorts", Type::flag},
                                                  {"clusterIP", Type::text},
                                                  {"clusterIPs", Type::text_list},
                                                  {"externalIPs", Type::text_list},
                                                  {"externalName", Type::text},
                                                  {"externalTrafficPolicy", Type::text},
                                                  {"healthCheckNodePort", Type::integer},
                                                  {"internalTrafficPolicy", Type::text},
                                                  {"ipFamilies", Type::text_list},
                                                  {"ipFamilyPolicy", Type::text},
                                                  {"loadBalancerClass", Type::text},
                                                  {"loadBalancerIP", Type::text},
                                                  {"loadBalancerSourceRanges", Type::text_list},
                                                  {"ports", Type::object_list, &service_port},
                                                  {"publishNotReadyAddresses", Type::flag},
                                                  {"selector", Type::text_map},
                                                  {"sessionAffinity", Type::text},
                                                  {"sessionAffinityConfig", Type::object},
                                                  {"trafficDistribution", Type::text},
                                                  {"type", Type::text}};
inline constexpr Definition service_spec{"io.k8s.api.core.v1.ServiceSpec", service_spec_members};

inline constexpr Member service_status_members[] = {{"conditions", Type::object_list, &condition},
                                                    {"loadBalancer", Type::object, &load_balancer_status}};
inline constexpr Definition service_status{"io.k8s.api.core.v1.ServiceStatus", service_status_members};

inline constexpr Member service_members[] = {{"apiVersion", Type::text},
                                             {"kind", Type::text},
                                             {"metadata", Type::object, &object_meta},
                                             {"spec", Type::object, &service_spec},
                                             {"status", Type::object, &service_status}};
inline constexpr Definition service{"io.k8s.api.core.v1.Service", service_members};

inline constexpr Member service_account_members[] = {
    {"apiVersion", Type::text},
    {"automountServiceAccountToken", Type::flag},
    {"imagePullSecrets", Type::object_list, &local_object_reference},
    {"kind", Type::text},
    {"metadata", Type::object, &object_meta},
    {"secrets", Type::object_list, &object_reference}};
inline constexpr Definition service_account{"io.k8s.api.core.v1.ServiceAccount", service_account_members};

inline constexpr const Definition* core_definitions[] = {&config_map,
                                                         &container,
                                                         &container_port,
                                                         &container_state,
                                                         &container_state_running,
                                                         &container_state_terminated,
                                                         &container_state_waiting,
                                                         &container_status,
                                                         &event,
                                                         &event_source,
                                                         &load_balancer_ingress,
                                                         &load_balancer_status,
                                                         &local_object_reference,
                                                         &node,
                                                         &node_address,
                                                         &node_condition,
                                                         &node_spec,
                                                         &node_status,
                                                         &object_reference,
                                                         &pod,
                                                         &pod_condition,
                                                         &pod_ip,
                                                         &pod_spec,
                                                         &pod_status,
                                                         &pod_template_spec,
                                                         &port_status,
                                                         &secret,
                                                         &service,
                                                         &service_account,
                                                         &service_port,
                                                         &service_spec,
                                                         &service_status,
                                                         &taint};

}  // namespace fairway::k8s::openapi
