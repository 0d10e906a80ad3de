// SPDX-License-Identifier: Apache-2.0

import io.fabric8.kubernetes.api.model.*;
import io.fabric8.kubernetes.client.*;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.*;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.net.URI;
import java.net.http.*;
import java.time.Duration;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.Collectors;

/** What a program with fabric8's client does: CRUD, a watch and an informer whose connections are cut, apply, leader election. */
public class Check {
  interface Run { void run() throws Exception; }

  static final String SPACE = System.getenv("SPACE");
  static final long LIMIT = 30; // seconds: only a server that hangs needs them
  static final KubernetesClient client = new KubernetesClientBuilder().build();

  static int cut() throws Exception {
    var post = HttpRequest.newBuilder(URI.create(System.getenv("CUT"))).POST(HttpRequest.BodyPublishers.noBody()).build();
    return Integer.parseInt(HttpClient.newHttpClient().send(post, HttpResponse.BodyHandlers.ofString()).body());
  }
  static void expect(boolean holds, Object what) {
    if (!holds) throw new IllegalStateException(String.valueOf(what));
  }
  static void next(BlockingQueue<String> events, String wanted) throws Exception {
    String event = events.poll(LIMIT, TimeUnit.SECONDS);
    expect(wanted.equals(event), event + " and not " + wanted);
  }
  static void refused(int code, Run run) throws Exception {
    try {
      run.run();
    } catch (KubernetesClientException e) {
      expect(e.getCode() == code, e);
      return;
    }
    throw new IllegalStateException(code + " was expected");
  }
  static ConfigMap configMap(String name, Map<String, String> data) {
    return new ConfigMapBuilder().withNewMetadata().withName(name).withNamespace(SPACE).endMetadata().withData(data).build();
  }

  static void crud() throws Exception {
    ConfigMap made = client.resource(configMap("crud", Map.of("a", "1"))).create();
    refused(409, () -> client.resource(configMap("crud", Map.of())).create());
    client.configMaps().inNamespace(SPACE).withName("crud").edit(c -> new ConfigMapBuilder(c).addToData("b", "2").build());
    refused(409, () -> client.resource(made).lockResourceVersion(made.getMetadata().getResourceVersion()).update());
    var patch = PatchContext.of(PatchType.JSON);
    var patched = client.resource(made).patch(patch, "[{\"op\": \"remove\", \"path\": \"/data/a\"}]");
    expect(patched.getData().equals(Map.of("b", "2")), patched.getData());
    expect(client.configMaps().inNamespace(SPACE).withField("metadata.name", "crud").list().getItems().size() == 1, "a list of one");
    expect(client.resource(made).delete().size() == 1, "deleted");
    expect(client.resource(made).get() == null, "what was deleted is there");
  }

  /** The client begins a watch that was cut anew, behind the last event. */
  static void cutWatch() throws Exception {
    var events = new LinkedBlockingQueue<String>();
    var watcher = new Watcher<ConfigMap>() {
      public void eventReceived(Action action, ConfigMap one) { events.add(action + " " + one.getMetadata().getName()); }
      public void onClose(WatcherException cause) { events.add("closed: " + cause); }
    };
    String version = client.configMaps().inNamespace(SPACE).list().getMetadata().getResourceVersion();
    try (var watch = client.configMaps().inNamespace(SPACE).watch(new ListOptionsBuilder().withResourceVersion(version).build(), watcher)) {
      client.resource(configMap("w1", Map.of())).create();
      next(events, "ADDED w1");
      expect(cut() > 0, "nothing to cut");
      client.resource(configMap("w2", Map.of())).create();
      next(events, "ADDED w2");
    }
  }

  static void informer() throws Exception {
    var added = new LinkedBlockingQueue<String>();
    var handler = new ResourceEventHandler<Secret>() {
      public void onAdd(Secret one) { added.add(one.getMetadata().getName()); }
      public void onUpdate(Secret before, Secret after) {}
      public void onDelete(Secret one, boolean unknown) {}
    };
    try (var informer = client.secrets().inNamespace(SPACE).inform(handler)) {
      for (String name : List.of("i1", "i2")) {
        var secret = new SecretBuilder().withNewMetadata().withName(name).withNamespace(SPACE).endMetadata().build();
        client.resource(secret).create();
        next(added, name);
        expect(cut() > 0, "nothing to cut");
      }
      var names = informer.getStore().list().stream().map(s -> s.getMetadata().getName()).sorted().collect(Collectors.toList());
      expect(names.equals(List.of("i1", "i2")), names);
    }
  }

  static ConfigMap applied(String manager, boolean force, Map<String, String> data) {
    var context = new PatchContext.Builder().withPatchType(PatchType.SERVER_SIDE_APPLY).withFieldManager(manager).withForce(force).build();
    return client.resource(configMap("applied", data)).patch(context);
  }
  static void apply() throws Exception {
    applied("one", false, Map.of("a", "1", "b", "2"));
    refused(409, () -> applied("two", false, Map.of("a", "3")));
    var made = applied("two", true, Map.of("a", "3"));
    expect(made.getData().equals(Map.of("a", "3", "b", "2")), made.getData());
    expect(applied("one", false, Map.of("a", "3")).getData().equals(Map.of("a", "3")), "b is there");
  }

  /** The second candidate leads once the first has given up the lease. */
  static void leads() throws Exception {
    var events = new LinkedBlockingQueue<String>();
    var candidates = new ArrayList<CompletableFuture<?>>();
    for (String name : List.of("first", "second")) {
      var callbacks = new LeaderCallbacks(() -> events.add(name), () -> {}, leader -> {});
      candidates.add(client.leaderElector().withConfig(new LeaderElectionConfigBuilder().withName(name)
          .withLock(new LeaseLock(SPACE, "leader", name)).withLeaseDuration(Duration.ofSeconds(5))
          .withRenewDeadline(Duration.ofSeconds(3)).withRetryPeriod(Duration.ofMillis(200))
          .withReleaseOnCancel(true).withLeaderCallbacks(callbacks).build()).build().start());
      if (name.equals("first")) next(events, "first");
    }
    expect(cut() > 0, "nothing to cut");
    candidates.get(0).cancel(true);
    next(events, "second");
    var lease = client.leases().inNamespace(SPACE).withName("leader").get();
    expect("second".equals(lease.getSpec().getHolderIdentity()), lease.getSpec());
    candidates.get(1).cancel(true);
  }

  public static void main(String[] arguments) {
    var checks = new LinkedHashMap<String, Run>();
    checks.put("crud", Check::crud);
    checks.put("cutWatch", Check::cutWatch);
    checks.put("informer", Check::informer);
    checks.put("apply", Check::apply);
    checks.put("leads", Check::leads);
    int failed = 0;
    for (var check : checks.entrySet()) {
      try {
        check.getValue().run();
        System.out.println("passed: " + check.getKey());
      } catch (Exception e) {
        failed = 1;
        e.printStackTrace(System.out);
        System.out.println("failed: " + check.getKey() + ": " + e);
      }
    }
    System.exit(failed);
  }
}
