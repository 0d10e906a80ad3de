// SPDX-License-Identifier: Apache-2.0

// The console. The page says which part of Fairway it is of.

import { render } from "preact";
import { App } from "./view/app";
import { ClusterApp } from "./view/cluster_app";
import { setting } from "./view/frame";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
render(setting("fairway-part") === "cluster" ? <ClusterApp /> : <App />, root);
