// SPDX-License-Identifier: Apache-2.0

// Which endpoints Envoy is led to, and what a route's status says of the others.
#include "gateway/internal/attachment/endpoints.h"

#include <gtest/gtest.h>

#include "gateway/controller.h"
#include "gateway/fake_envoys.h"
#include "gateway/internal/offline/sources.h"
#include "gateway/internal/run_pass.h"

namespace fairway::gateway {
namespace {

EndpointPolicy policy_of(const std::string& permitted = "") {
  return {.permitted = parse_address_ranges(permitted).value(),
          .own_listeners = {.listeners = {{.flag = "--status-listen", .address = "", .port = 8081},
                                          {.flag = "--xds-listen", .address = "127.0.0.1", .port = 18000}},
                            .machine = {*AddressRange::parse("198.18.0.1")}}};
}

TEST(EndpointPolicy, RefusesWhatIsOfThisMachineOrOfNoOneMachineInAllForms) {
  struct Case {
    const char *address, *why;
  };
  for (const Case& one : {Case{"127.0.0.1", "loopback"},
                          {"127.255.255.254", "loopback"},
                          {"::1", "loopback"},
                          {"0:0:0:0:0:0:0:1", "loopback"},
                          {"::ffff:127.0.0.1", "loopback"},
                          {"::ffff:7f00:1", "loopback"},
                          {"169.254.169.254", "link-local"},
                          {"::ffff:169.254.169.254", "link-local"},
                          {"fe80::1", "link-local"},
                          {"febf::1", "link-local"},
                          {"224.0.0.1", "multicast"},
                          {"239.255.255.255", "multicast"},
                          {"ff02::1", "multicast"},
                          {"255.255.255.255", "broadcast"},
                          {"240.0.0.1", "broadcast"},
                          {"0.0.0.0", "unspecified"},
                          {"0.1.2.3", "unspecified"},
                          {"::127.0.0.1", "loopback"},
                          {"64:ff9b::7f00:1", "loopback"},
                          {"64:ff9b::a9fe:a9fe", "link-local"},
                          {"64:ff9b:1::7f00:1", "loopback"},
                          {"::ffff:0:127.0.0.1", "loopback"},
                          {"2002:7f00:1::", "loopback"},
                          {"2001:0:7f00:1::", "loopback"},
                          {"fec0::1", "site-local"},
                          {"fd00:ec2::254", "metadata"},
                          {"fd20:ce::254", "metadata"},
                          {"100.100.100.200", "metadata"},
                          {"168.63.129.16", "metadata"},
                          {"192.0.0.192", "metadata"},
                          {"::", "unspecified"},
                          {"::ffff:0.0.0.0", "unspecified"},
                          {"localhost", "no address"},
                          {"fe80::1%lo", "no address"},
                          {"", "no address"}}) {
    const auto why = policy_of().refusal(one.address, 80);
    ASSERT_TRUE(why) << one.address;
    EXPECT_NE(why->find(one.why), std::string::npos) << one.address << ": " << *why;
  }
  for (const char* address : {"198.18.0.1", "10.0.0.1", "192.168.1.1", "100.64.0.1", "126.255.255.255",
                              "128.0.0.1", "169.253.0.1", "223.255.255.255", "2001:db8::1", "fd00::1",
                              "::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1"})
    EXPECT_FALSE(policy_of().refusal(address, 80)) << address << ": " << *policy_of().refusal(address, 80);
}

TEST(EndpointPolicy, TheAdministratorPermitsRangesButNoPortOfTheController) {
  const EndpointPolicy policy = policy_of("127.0.0.0/8,::1,0.0.0.0/8");
  EXPECT_FALSE(policy.refusal("127.0.0.1", 80));
  EXPECT_FALSE(policy.refusal("::ffff:127.0.0.1", 80));
  EXPECT_FALSE(policy.refusal("::1", 80));
  EXPECT_TRUE(policy.refusal("169.254.0.1", 80)) << "another range";
  for (const char* address : {"127.0.0.1", "::ffff:127.0.0.1", "0.0.0.0"})
    EXPECT_EQ(policy.refusal(address, 18000), "the controller itself listens there (--xds-listen)")
        << address;
  for (const char* address : {"127.0.0.1", "127.0.0.9", "::1", "198.18.0.1", "::ffff:198.18.0.1",
                              "64:ff9b::198.18.0.1", "64:ff9b:1::198.18.0.1", "::198.18.0.1"})
    EXPECT_EQ(policy.refusal(address, 8081), "the controller itself listens there (--status-listen)")
        << address;
  EXPECT_FALSE(policy.refusal("198.18.0.2", 8081)) << "another machine";
  EXPECT_FALSE(policy.refusal("127.0.0.2", 18000)) << "the controller does not listen there";
}

/// Returns a class, a Gateway, Services, and routes of kinds whose backends Envoy gets in different ways.
std::string objects(const std::string& address, const std::string& port = "9901") {
  return R"(
{apiVersion: gateway.networking.k8s.io/v1, kind: GatewayClass, metadata: {name: fairway}, spec: {controllerName: fairway.dev/gateway}}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: web, namespace: shop}
spec:
  gatewayClassName: fairway
  addresses: [{value: 198.51.100.1}]
  listeners: [{name: http, port: 80, protocol: HTTP}, {name: tcp, port: 81, protocol: TCP}, {name: udp, port: 82, protocol: UDP}]
---
{apiVersion: v1, kind: Service, metadata: {name: good, namespace: shop}, spec: {ports: [{port: 80}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: good-1, namespace: shop, labels: {kubernetes.io/service-name: good}}
addressType: IPv4
ports: [{name: "", protocol: TCP, port: 8080}]
endpoints: [{addresses: [198.18.0.2]}]
---
{apiVersion: v1, kind: Service, metadata: {name: bad, namespace: shop}, spec: {clusterIP: None, ports: [{port: 80, protocol: TCP, name: t}, {port: 80, protocol: UDP, name: u}]}}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: bad-1, namespace: shop, labels: {kubernetes.io/service-name: bad}}
addressType: )" +
         std::string(address.find(':') == std::string::npos ? "IPv4" : "IPv6") +
         R"(
ports: [{name: t, protocol: TCP, port: )" +
         port + R"(}, {name: u, protocol: UDP, port: )" + port + R"(}]
endpoints: [{addresses: [')" +
         address + R"(']}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: backend, namespace: shop}
spec: {parentRefs: [{name: web, sectionName: http}], rules: [{backendRefs: [{name: bad, port: 80}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: mirror, namespace: shop}
spec:
  parentRefs: [{name: web, sectionName: http}]
  rules:
  - matches: [{path: {value: /mirror}}]
    filters: [{type: RequestMirror, requestMirror: {backendRef: {name: bad, port: 80}}}]
    backendRefs: [{name: good, port: 80}]
---
apiVersion: gateway.networking.k8s.io/v1
kind: TCPRoute
metadata: {name: connections, namespace: shop}
spec: {parentRefs: [{name: web, sectionName: tcp}], rules: [{backendRefs: [{name: bad, port: 80}, {name: good, port: 80}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: UDPRoute
metadata: {name: datagrams, namespace: shop}
spec: {parentRefs: [{name: web, sectionName: udp}], rules: [{backendRefs: [{name: bad, port: 80}]}]}
---
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: other, namespace: shop}
spec: {parentRefs: [{name: web, sectionName: http}], rules: [{matches: [{path: {value: /other}}], backendRefs: [{name: good, port: 80}]}]}
)";
}

/// Returns all resources of Envoys as text.
std::string text_of(const FakeEnvoys& envoys) {
  std::string text;
  for (const auto& [name, resource] : envoys.served)
    text += name.name + " " + json::to_text(resource.json()) + "\n";
  return text;
}

/// The resources that a pass gives Envoys, and the left-out endpoints in the statuses of routes, by name.
struct Seen {
  std::string envoys;
  std::map<std::string, std::string> left_out;
};

Seen pass_over(const std::string& text, const EndpointPolicy& policy, Memory& memory, Objects& objects,
               const AddressPool& pool = {}) {
  objects = read_sources({{.name = "objects", .text = text}}).value();
  FakeEnvoys envoys;
  const auto pass = run_pass({.objects = objects, .pool = pool, .endpoints = policy}, memory, envoys);
  Seen seen{.envoys = text_of(envoys), .left_out = {}};
  for (const Report& report : pass->reports) {
    if (!report.parents) continue;
    for (const EntryReport& entry : *report.parents) {
      const Verdict* said = entry.verdicts.find("fairway.dev/EndpointsLeftOut");
      seen.left_out[std::string(report.object->name())] = said == nullptr ? "" : said->message;
      EXPECT_TRUE(entry.verdicts.is_true("ResolvedRefs")) << report.object->name();
    }
  }
  return seen;
}

Seen pass_over(const std::string& text, const EndpointPolicy& policy, const AddressPool& pool = {}) {
  Memory memory;
  Objects objects;
  return pass_over(text, policy, memory, objects, pool);
}

/// Returns the objects with their Gateway at another address.
std::string at_address(std::string text, const std::string& gateway) {
  const std::string was = "198.51.100.1";
  return text.replace(text.find(was), was.size(), gateway);
}

TEST(Endpoints, ThatAreRefusedComeToEnvoyByNoKindOfBackendAndAreNamed) {
  for (const char* address :
       {"127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "224.0.0.1", "0.0.0.0"}) {
    const Seen seen = pass_over(objects(address), policy_of());
    EXPECT_EQ(seen.envoys.find("9901"), std::string::npos) << address << "\n" << seen.envoys;
    EXPECT_NE(seen.envoys.find("198.18.0.2"), std::string::npos) << "the others are served";
    const std::string shown =
        std::string(address).find(':') == std::string::npos ? address : "[" + std::string(address) + "]";
    for (const char* route : {"backend", "mirror", "connections", "datagrams"})
      EXPECT_TRUE(seen.left_out.at(route).starts_with("endpoint " + shown +
                                                      ":9901 of Service shop/bad is left out: it is "))
          << route << ": " << seen.left_out.at(route);
    EXPECT_EQ(seen.left_out.at("other"), "");
  }
}

TEST(Endpoints, OfPermittedRangesAreServedAndThoseOfTheControllerAreNot) {
  const Seen permitted = pass_over(objects("127.0.0.1"), policy_of("127.0.0.1"));
  EXPECT_NE(permitted.envoys.find("9901"), std::string::npos);
  EXPECT_EQ(permitted.left_out.at("backend"), "");
  for (const char* port : {"18000", "8081"}) {
    const Seen own = pass_over(objects("127.0.0.1", port), policy_of("127.0.0.1"));
    EXPECT_EQ(own.envoys.find(port), std::string::npos) << own.envoys;
    EXPECT_NE(own.left_out.at("backend").find("the controller itself listens there"), std::string::npos)
        << own.left_out.at("backend");
  }
  EXPECT_EQ(pass_over(objects("198.18.0.1", "8081"), policy_of()).envoys.find("8081"), std::string::npos)
      << "an address of this machine";
}

TEST(Endpoints, AGatewaysOwnListenersAreNone) {
  // The routes for which the endpoint would be one: those over TCP, those over UDP.
  struct Case {
    const char *address, *port;
    bool is_tcp, is_udp;
  };
  for (const Case& one : {Case{"198.18.0.1", "80", true, false},
                          {"198.18.0.1", "81", true, false},
                          {"198.18.0.1", "82", false, true},
                          {"::ffff:198.18.0.1", "80", true, false},
                          {"64:ff9b::198.18.0.1", "80", true, false},
                          {"0.0.0.0", "80", true, false},
                          {"198.18.0.1", "83", false, false},
                          {"198.18.0.9", "80", false, false}}) {
    const Seen seen = pass_over(at_address(objects(one.address, one.port), "198.18.0.1"),
                                policy_of("0.0.0.0,198.18.0.0/15"));
    const std::string why = "Envoy itself listens there for a Gateway, and requests would go in circles";
    for (const auto& [route, is_left_out] : {std::pair{"backend", one.is_tcp},
                                             {"mirror", one.is_tcp},
                                             {"connections", one.is_tcp},
                                             {"datagrams", one.is_udp}}) {
      const std::string& said = seen.left_out.at(route);
      EXPECT_EQ(said.find(why) != std::string::npos, is_left_out)
          << one.address << " " << one.port << " " << route << ": " << said;
      EXPECT_EQ(said.empty(), !is_left_out) << one.address << " " << one.port << " " << route << ": " << said;
    }
  }
}

TEST(Endpoints, AGatewayAtAnAddressThatIsNotOfThisMachineLeavesNoEndpointOut) {
  // Otherwise whoever may write a Gateway could cut off endpoints of others.
  const std::string text = at_address(objects("198.18.0.9", "80"), "198.18.0.9");
  EXPECT_EQ(pass_over(text, policy_of()).left_out.at("backend"), "");
  EXPECT_NE(pass_over(text, policy_of(), AddressPool::parse("198.18.0.8/29").value()).left_out.at("backend"),
            "")
      << "the administrator has listed it as one of this machine";
}

TEST(Endpoints, AreLeftOutOnceAGatewayListensThereAndAreBackOnceItDoesNot) {
  Memory memory;
  Objects last;
  const auto left_out = [&](const std::string& gateway) {
    return !pass_over(at_address(objects("198.18.0.1", "80"), gateway), policy_of(), memory, last)
                .left_out.at("backend")
                .empty();
  };
  EXPECT_FALSE(left_out("198.51.100.1"));
  EXPECT_TRUE(left_out("198.18.0.1"));
  EXPECT_FALSE(left_out("198.51.100.1"));
}

TEST(Endpoints, APassThatKeepsWhatItKnowsSaysSoToo) {
  Memory memory;
  Objects last;
  EXPECT_EQ(pass_over(objects("198.18.0.9"), policy_of(), memory, last).left_out.at("backend"), "");
  // The objects of the last pass with one that has changed, as the controller has them.
  const auto again = [&](const std::string& address, const EndpointPolicy& policy) {
    const Objects now = read_sources({{.name = "objects", .text = objects(address)}}).value();
    last.add(*now.find("discovery.k8s.io", "EndpointSlice", "shop", "bad-1"));
    FakeEnvoys envoys;
    const auto pass = run_pass({.objects = last, .endpoints = policy}, memory, envoys);
    std::string said;
    for (const Report& report : pass->reports) {
      if (!report.parents || report.object->name() != "backend") continue;
      const Verdict* verdict = report.parents->front().verdicts.find("fairway.dev/EndpointsLeftOut");
      said = verdict == nullptr ? "" : verdict->message;
    }
    return std::pair(text_of(envoys).find("9901") != std::string::npos, said.substr(0, said.find(';')));
  };
  const std::pair refused(false,
                          std::string("endpoint 127.0.0.1:9901 of Service shop/bad is left out: it is a "
                                      "loopback address"));
  const std::pair served(true, std::string());
  EXPECT_EQ(again("198.18.0.9", policy_of()), served);
  EXPECT_EQ(again("127.0.0.1", policy_of()), refused);
  EXPECT_EQ(again("127.0.0.1", policy_of()), refused) << "nothing has changed";
  EXPECT_EQ(again("127.0.0.1", policy_of("127.0.0.1")), served) << "another policy";
  EXPECT_EQ(again("127.0.0.1", policy_of()), refused);
  EXPECT_EQ(again("198.18.0.9", policy_of()), served);
}

TEST(Endpoints, RangesThatCannotBeReadAreAnErrorOfTheStart) {
  const auto controller = GatewayController::create({.endpoint_cidrs = "10.0.0.0/8,127.0.0.1/8"});
  ASSERT_FALSE(controller);
  EXPECT_EQ(controller.error().code, ErrorCode::invalid);
  EXPECT_EQ(controller.error().message,
            "--endpoint-cidrs: 127.0.0.1/8 is no range of addresses: its address has bits beyond the prefix");
}

TEST(Endpoints, NoNameLeadsEnvoyAnywhere) {
  std::string text = objects("198.18.0.9");
  const std::string from = "addressType: IPv4\nports: [{name: t";
  text.replace(text.find(from), from.size(), "addressType: FQDN\nports: [{name: t");
  text.replace(text.find("'198.18.0.9'"), 12, "localhost");
  EXPECT_EQ(pass_over(text, policy_of()).envoys.find("localhost"), std::string::npos);
  text.replace(text.find("addressType: FQDN"), 17, "addressType: IPv4");
  EXPECT_EQ(pass_over(text, policy_of()).envoys.find("localhost"), std::string::npos);
}

}  // namespace
}  // namespace fairway::gateway
