// SPDX-License-Identifier: Apache-2.0

//! What programs written with the `kube` crate do to an API server: a definition made by derive, objects, watchers, a
//! controller with owned objects and finalizers. $KUBECONFIG names the server. Each check prints a line; the last line counts.

use std::{error::Error, future::Future, sync::Arc, time::Duration};

use futures::{StreamExt, TryStreamExt, pin_mut};
use k8s_openapi::{
    api::core::v1::{ConfigMap, Namespace, Secret},
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResource, CustomResourceExt, KubeSchema, Resource, ResourceExt,
    api::{DeleteParams, ListParams, PartialObjectMeta, Patch, PatchParams, PostParams},
    runtime::{
        Controller,
        controller::Action,
        finalizer::{Event as FinalizerEvent, finalizer},
        reflector,
        wait::{await_condition, conditions},
        watcher,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

type Outcome = Result<(), Box<dyn Error + Send + Sync>>;

const MANAGER: &str = "clients-rust";
const FINALIZER: &str = "boats.example.com/cleanup";

#[derive(CustomResource, KubeSchema, Serialize, Deserialize, Clone, Debug)]
#[kube(
    group = "boats.example.com",
    version = "v1",
    kind = "Boat",
    namespaced,
    status = "BoatStatus",
    shortname = "bt",
    printcolumn = r#"{"name":"Crew","type":"integer","jsonPath":".spec.crew"}"#,
    scale = r#"{"specReplicasPath":".spec.crew","statusReplicasPath":".status.aboard"}"#
)]
struct BoatSpec {
    #[x_kube(validation = Rule::new("self != ''").message("a boat has a name"))]
    name: String,
    #[serde(default = "crew")]
    crew: i32,
}

#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default)]
struct BoatStatus {
    aboard: i32,
}

fn crew() -> i32 {
    2
}

fn boat(name: &str) -> Boat {
    Boat::new(name, BoatSpec { name: name.to_string(), crew: 3 })
}

fn check(holds: bool, what: &str) -> Outcome {
    if holds { Ok(()) } else { Err(what.into()) }
}

fn is_refused(error: &kube::Error, code: u16, reason: &str) -> bool {
    matches!(error, kube::Error::Api(status) if status.code == code && status.reason == reason)
}

async fn definition(client: &Client) -> Outcome {
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let apply = PatchParams::apply(MANAGER).force();
    crds.patch(Boat::crd_name(), &apply, &Patch::Apply(Boat::crd())).await?;
    await_condition(crds.clone(), Boat::crd_name(), conditions::is_crd_established()).await?;
    // Applied again it is the same.
    let first = crds.get(Boat::crd_name()).await?;
    let again = crds.patch(Boat::crd_name(), &apply, &Patch::Apply(Boat::crd())).await?;
    check(first.resource_version() == again.resource_version(), "an equal apply has made a new version")
}

async fn objects(client: &Client, space: &str) -> Outcome {
    let boats: Api<Boat> = Api::namespaced(client.clone(), space);
    let made = boats
        .create(&PostParams::default(), &serde_json::from_value(json!({
            "apiVersion": "boats.example.com/v1", "kind": "Boat", "metadata": {"name": "objects"},
            "spec": {"name": "objects"}}))?)
        .await?;
    check(made.spec.crew == 2 && made.metadata.generation == Some(1), "the default of the schema is missing")?;
    let error = boats.create(&PostParams::default(), &boat("objects")).await.expect_err("made twice");
    check(is_refused(&error, 409, "AlreadyExists"), &format!("a second create: {error}"))?;
    let mut nameless = boat("nameless");
    nameless.spec.name = String::new();
    let error = boats.create(&PostParams::default(), &nameless).await.expect_err("the rule does not hold");
    check(is_refused(&error, 422, "Invalid") && error.to_string().contains("a boat has a name"), &error.to_string())?;

    let applied = boats
        .patch("objects", &PatchParams::apply(MANAGER).force(), &Patch::Apply(json!({
            "apiVersion": "boats.example.com/v1", "kind": "Boat", "spec": {"name": "objects", "crew": 5}})))
        .await?;
    check(applied.spec.crew == 5 && applied.metadata.generation == Some(2), "server-side apply")?;
    let stated = boats
        .patch_status("objects", &PatchParams::default(), &Patch::Merge(json!({"status": {"aboard": 4}})))
        .await?;
    check(stated.status.map(|status| status.aboard) == Some(4), "the status")?;
    let scale = boats.get_scale("objects").await?;
    check(scale.spec.and_then(|spec| spec.replicas) == Some(5), "the scale")?;
    let error = boats.replace("objects", &PostParams::default(), &{
        let mut old = boat("objects");
        old.metadata.resource_version = made.metadata.resource_version.clone();
        old
    }).await.expect_err("an old version");
    check(is_refused(&error, 409, "Conflict"), &error.to_string())?;
    let list = boats.list(&ListParams::default().fields("metadata.name=objects")).await?;
    check(list.items.len() == 1, "the field selector")?;
    let metadata: Api<PartialObjectMeta<Boat>> = Api::namespaced(client.clone(), space);
    check(metadata.get("objects").await?.name_any() == "objects", "metadata alone")?;
    let uid = made.uid().ok_or("no uid")?;
    boats.delete("objects", &DeleteParams::default()).await?;
    await_condition(boats.clone(), "objects", conditions::is_deleted(&uid)).await?;
    check(boats.get_opt("objects").await?.is_none(), "it is still there")
}

/// Pages of built-in objects, and their deletion by a selector.
async fn pages(client: &Client, space: &str) -> Outcome {
    let secrets: Api<Secret> = Api::namespaced(client.clone(), space);
    for number in 0..7 {
        let secret: Secret = serde_json::from_value(json!({
            "metadata": {"name": format!("page-{number}"), "labels": {"set": "pages"}}, "stringData": {"n": number.to_string()}}))?;
        secrets.create(&PostParams::default(), &secret).await?;
    }
    let mut params = ListParams::default().labels("set=pages").limit(3);
    let (mut seen, mut pages) = (0, 0);
    loop {
        let page = secrets.list(&params).await?;
        seen += page.items.len();
        pages += 1;
        match page.metadata.continue_ {
            Some(token) if !token.is_empty() => params = params.continue_token(&token),
            _ => break,
        }
    }
    check(seen == 7 && pages == 3, &format!("{seen} objects on {pages} pages"))?;
    secrets.delete_collection(&DeleteParams::default(), &ListParams::default().labels("set=pages")).await?;
    check(secrets.list(&ListParams::default().labels("set=pages")).await?.items.is_empty(), "some are left")
}

/// What a watcher tells, begun with a list and begun with a watch that streams one.
async fn watches(client: &Client, space: &str, streaming: bool) -> Outcome {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), space);
    let named = |name: &str| -> Result<ConfigMap, serde_json::Error> {
        serde_json::from_value(json!({"metadata": {"name": name, "labels": {"set": "watched"}}}))
    };
    maps.create(&PostParams::default(), &named("first")?).await?;
    let config = watcher::Config::default().labels("set=watched");
    let config = if streaming { config.streaming_lists() } else { config };
    let stream = watcher(maps.clone(), config);
    pin_mut!(stream);
    let mut told = Vec::new();
    while let Some(event) = stream.try_next().await? {
        match event {
            watcher::Event::Init => told.push("begins".to_string()),
            watcher::Event::InitApply(map) => told.push(format!("has {}", map.name_any())),
            watcher::Event::InitDone => {
                told.push("synced".to_string());
                maps.create(&PostParams::default(), &named("second")?).await?;
            }
            watcher::Event::Apply(map) if map.data.is_none() => {
                told.push(format!("added {}", map.name_any()));
                maps.patch("second", &PatchParams::default(), &Patch::Merge(json!({"data": {"a": "b"}}))).await?;
            }
            watcher::Event::Apply(map) => {
                told.push(format!("changed {}", map.name_any()));
                maps.delete("second", &DeleteParams::default()).await?;
            }
            watcher::Event::Delete(map) => {
                told.push(format!("deleted {}", map.name_any()));
                break;
            }
        }
    }
    maps.delete("first", &DeleteParams::default()).await?;
    let expected = ["begins", "has first", "synced", "added second", "changed second", "deleted second"];
    check(told == expected, &format!("{told:?}"))
}

/// A reflector's store holds what there is.
async fn reflects(client: &Client, space: &str) -> Outcome {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), space);
    let (store, writer) = reflector::store();
    let stream = reflector(writer, watcher(maps.clone(), watcher::Config::default().fields("metadata.name=mirrored")));
    pin_mut!(stream);
    maps.create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": "mirrored"}}))?).await?;
    while stream.try_next().await?.is_some() {
        if store.state().iter().any(|map| map.name_any() == "mirrored") {
            return Ok(());
        }
    }
    Err("the watch has ended".into())
}

struct Context {
    client: Client,
}

#[derive(Debug)]
struct Failure(String);
impl std::fmt::Display for Failure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}
impl Error for Failure {}

/// Each boat has a ConfigMap that it owns, and says so in its status. Before it goes, it leaves a farewell.
async fn reconcile(boat: Arc<Boat>, context: Arc<Context>) -> Result<Action, Failure> {
    let space = boat.namespace().ok_or_else(|| Failure("no namespace".to_string()))?;
    let boats: Api<Boat> = Api::namespaced(context.client.clone(), &space);
    let maps: Api<ConfigMap> = Api::namespaced(context.client.clone(), &space);
    finalizer(&boats.clone(), FINALIZER, boat, |event| async move {
        let failed = |error: kube::Error| Failure(error.to_string());
        match event {
            FinalizerEvent::Apply(boat) => {
                let owner = boat.controller_owner_ref(&()).ok_or_else(|| Failure("no owner".to_string()))?;
                let log = json!({"apiVersion": "v1", "kind": "ConfigMap",
                    "metadata": {"name": format!("{}-log", boat.name_any()), "ownerReferences": [owner]},
                    "data": {"crew": boat.spec.crew.to_string()}});
                let name = format!("{}-log", boat.name_any());
                maps.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(log)).await.map_err(failed)?;
                let status = json!({"status": {"aboard": boat.spec.crew}});
                boats
                    .patch_status(&boat.name_any(), &PatchParams::default(), &Patch::Merge(status))
                    .await
                    .map_err(failed)?;
            }
            FinalizerEvent::Cleanup(boat) => {
                let name = format!("{}-farewell", boat.name_any());
                let farewell = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name},
                    "data": {"said": "farewell"}});
                maps.patch(&name, &PatchParams::apply(MANAGER).force(), &Patch::Apply(farewell)).await.map_err(failed)?;
            }
        }
        Ok::<_, Failure>(Action::await_change())
    })
    .await
    .map_err(|error| Failure(error.to_string()))
}

async fn controls(client: &Client, space: &str) -> Outcome {
    let boats: Api<Boat> = Api::namespaced(client.clone(), space);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), space);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = Controller::new(boats.clone(), watcher::Config::default())
        .owns(maps.clone(), watcher::Config::default())
        .graceful_shutdown_on(async move {
            let _ = stopped.await;
        })
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(200)),
             Arc::new(Context { client: client.clone() }))
        .for_each(|_| async {});
    let running = tokio::spawn(running);

    let made = boats.create(&PostParams::default(), &boat("ship")).await?;
    let aboard = |wanted: i32| {
        move |now: Option<&Boat>| {
            now.and_then(|boat| boat.status.as_ref()).is_some_and(|status| status.aboard == wanted)
        }
    };
    await_condition(boats.clone(), "ship", aboard(3)).await?;
    boats.patch("ship", &PatchParams::default(), &Patch::Merge(json!({"spec": {"crew": 9}}))).await?;
    await_condition(boats.clone(), "ship", aboard(9)).await?;
    // What it owns is made anew.
    let log = maps.get("ship-log").await?;
    maps.delete("ship-log", &DeleteParams::default()).await?;
    await_condition(maps.clone(), "ship-log", |now: Option<&ConfigMap>| {
        now.is_some_and(|map| map.uid() != log.uid())
    })
    .await?;
    // The finalizer holds the boat until it has left its farewell; its log is collected as garbage.
    let log = maps.get("ship-log").await?;
    boats.delete("ship", &DeleteParams::default()).await?;
    let uid = made.uid().ok_or("no uid")?;
    await_condition(boats.clone(), "ship", conditions::is_deleted(&uid)).await?;
    check(maps.get_opt("ship-farewell").await?.is_some(), "no farewell")?;
    await_condition(maps.clone(), "ship-log", conditions::is_deleted(&log.uid().ok_or("no uid")?)).await?;
    let _ = stop.send(());
    running.await?;
    Ok(())
}

async fn removed(client: &Client) -> Outcome {
    let crds: Api<CustomResourceDefinition> = Api::all(client.clone());
    let uid = crds.get(Boat::crd_name()).await?.uid().ok_or("no uid")?;
    crds.delete(Boat::crd_name(), &DeleteParams::default()).await?;
    await_condition(crds, Boat::crd_name(), conditions::is_deleted(&uid)).await?;
    let boats: Api<Boat> = Api::default_namespaced(client.clone());
    // A server reads of the deletion as its clients do, and may be a moment behind them.
    for _ in 0..500 {
        match boats.list(&ListParams::default()).await {
            Ok(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            Err(kube::Error::Api(status)) if status.code == 404 => return Ok(()),
            Err(error) => return Err(error.into()),
        }
    }
    Err("it is still served".into())
}

struct Report {
    passed: u32,
    failed: u32,
}

impl Report {
    async fn run(&mut self, name: &str, outcome: impl Future<Output = Outcome>) {
        let limit = Duration::from_secs(60);
        let outcome = match tokio::time::timeout(limit, outcome).await {
            Ok(outcome) => outcome,
            Err(_) => Err("it did not end within a minute".into()),
        };
        match outcome {
            Ok(()) => {
                self.passed += 1;
                println!("passed: {name}");
            }
            Err(error) => {
                self.failed += 1;
                println!("failed: {name}: {error}");
            }
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    let version = client.apiserver_version().await?;
    println!("the kube crate with a server that calls itself {}", version.git_version);
    let space = "clients-rust";
    let spaces: Api<Namespace> = Api::all(client.clone());
    spaces.create(&PostParams::default(), &serde_json::from_value(json!({"metadata": {"name": space}}))?).await?;
    let mut report = Report { passed: 0, failed: 0 };
    report.run("a derived definition is applied and established", definition(&client)).await;
    report.run("custom resources with status, scale and rules", objects(&client, space)).await;
    report.run("pages and deletion by a selector", pages(&client, space)).await;
    report.run("a watcher that begins with a list", watches(&client, space, false)).await;
    report.run("a watcher that begins with a watch", watches(&client, space, true)).await;
    report.run("a reflector's store", reflects(&client, space)).await;
    report.run("a controller with a finalizer and owned objects", controls(&client, space)).await;
    report.run("the definition is removed", removed(&client)).await;
    println!("clients-rust: {} passed, {} failed", report.passed, report.failed);
    std::process::exit(i32::from(report.failed > 0));
}
