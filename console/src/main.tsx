// SPDX-License-Identifier: Apache-2.0

// The console of the update service.

import { render } from "preact";
import { App } from "./view/app";

const root = document.getElementById("app");
if (root === null) throw new Error("index.html has no #app");
render(<App />, root);
