// SPDX-License-Identifier: Apache-2.0

// exec, attach and port-forward, which no kubelet is there for. The words are those of a kube-apiserver 1.36
// without nodes.
#include <string>

#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

const k8s::GroupVersionResource pods{"", "v1", "pods"}, nodes{"", "v1", "nodes"};

class PodStreams : public OnServer {
 protected:
  PodStreams() {
    make_pod("unplaced", "", R"({"name":"main","image":"a:1"},{"name":"side","image":"a:1"})");
    make_pod("placed", "bare", R"({"name":"main","image":"a:1"})");
    make_pod("lost", "gone", R"({"name":"main","image":"a:1"})");
    EXPECT_TRUE(
        client->create(nodes, object_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"bare"}})")));
  }
  void make_pod(const std::string& name, const std::string& node, const std::string& containers) {
    const std::string place = node.empty() ? "" : R"("nodeName":")" + node + R"(",)";
    EXPECT_TRUE(client->create(pods, object_of(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" +
                                               name + R"(","namespace":"default"},"spec":{)" + place +
                                               R"("containers":[)" + containers + "]}}")));
  }
  /// Asks for a stream; returns the code and the message of the answer.
  std::string ask(const std::string& method, const std::string& pod, const std::string& stream) const {
    const auto reply = RawClient(*server, &server->admin())
                           .send(method, "/api/v1/namespaces/default/pods/" + pod + "/" + stream);
    return std::to_string(reply.status) + " " + std::string(body_of(reply).text("message"));
  }
};

TEST_F(PodStreams, SayWhyThereIsNone) {
  for (const std::string method : {"GET", "POST"}) {
    for (const std::string stream :
         {"exec?command=ls&container=main", "attach?container=side", "portforward?ports=80"}) {
      EXPECT_EQ(ask(method, "unplaced", stream), "400 pod unplaced does not have a host assigned");
    }
    for (const std::string stream : {"exec?command=ls", "attach", "portforward"}) {
      EXPECT_EQ(ask(method, "placed", stream), "500 no preferred addresses found; known addresses: []");
      EXPECT_EQ(ask(method, "lost", stream), R"(404 nodes "gone" not found)");
      EXPECT_EQ(ask(method, "nobody", stream), R"(404 pods "nobody" not found)");
    }
  }
  EXPECT_EQ(ask("GET", "placed", "exec?container=x"), "400 container x is not valid for pod placed");
  EXPECT_EQ(ask("POST", "unplaced", "attach"),
            "400 a container name must be specified for pod unplaced, choose one of: [main side]");
}

TEST_F(PodStreams, AreNotForThoseWhoMayOnlyRead) {
  const auto allow = [&](const std::string& verb) {
    ASSERT_OK(client->create(
        {"rbac.authorization.k8s.io", "v1", "clusterroles"},
        object_of(
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":{"name":")" +
            verb + R"("},"rules":[{"apiGroups":[""],"resources":["pods/exec"],"verbs":[")" + verb +
            R"("]}]})")));
    ASSERT_OK(client->create(
        {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
        object_of(
            R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding","metadata":{"name":")" +
            verb + R"("},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":")" +
            verb +
            R"("},"subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User","name":"ann"}]})")));
  };
  const auto certificate = server->client_certificate("ann", {});
  ASSERT_OK(certificate);
  const auto exec = [&] {
    return RawClient(*server, &*certificate)
        .send("GET", "/api/v1/namespaces/default/pods/placed/exec?command=ls")
        .status;
  };
  allow("get");
  EXPECT_EQ(exec(), 403);
  allow("create");
  EXPECT_EQ(exec(), 500);
}

}  // namespace
}  // namespace fairway::apiserver::testing
