// SPDX-License-Identifier: Apache-2.0

// The state of the page as a link: what stands behind # in the address. It is never sent to a server.

export type View = "channels" | "channel" | "at" | "graph" | "path" | "problems";

export interface Route {
  view: View;
  channel: string;
  arch: string;
  /** The release that the question is about; "" where none is chosen. */
  from: string;
  to: string;
  /** Which edges the graph shows. */
  direction: "from" | "to";
  /** Names of risks that a path avoids. */
  avoid: string[];
  /** The text that lists are filtered by. */
  search: string;
}

export const defaultArch = "amd64";
const home: Route = { view: "channels", channel: "", arch: defaultArch, from: "", to: "", direction: "from", avoid: [], search: "" };
const views: readonly View[] = ["channels", "channel", "at", "graph", "path", "problems"];

/** Returns a part of the address where it is what it should be, else "": who sends a link does not choose what the page says. */
function matching(pattern: RegExp, text: string | null): string {
  return text !== null && pattern.test(text) ? text : "";
}
/** As the service reads a version, and an architecture. */
const versionPattern = /^[0-9A-Za-z.+-]{1,256}$/;
const archPattern = /^[0-9A-Za-z._-]{1,64}$/;

/** Reads "#/at?channel=stable-4.7&from=4.6.8". What it does not know it ignores; without a channel, a view that needs one is the list. */
export function readRoute(hash: string): Route {
  const [name = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const parameters = new URLSearchParams(query);
  const view = views.find((each) => each === name) ?? "channels";
  const channel = parameters.get("channel") ?? "";
  const route: Route = {
    ...home,
    view,
    channel,
    arch: matching(archPattern, parameters.get("arch")) || defaultArch,
    from: matching(versionPattern, parameters.get("from")),
    to: matching(versionPattern, parameters.get("to")),
    direction: parameters.get("direction") === "to" ? "to" : "from",
    avoid: parameters.getAll("avoid").filter((risk) => risk !== ""),
    search: parameters.get("search") ?? "",
  };
  return channel === "" && view !== "problems" ? { ...route, view: "channels" } : route;
}

/** Returns the link of a state: `readRoute` of it gives the state. Defaults are left out, so that a state has one link. */
export function linkTo(change: Partial<Route>, from: Route = home): string {
  const route = { ...home, ...from, ...change };
  const parameters = new URLSearchParams();
  if (route.channel !== "") parameters.set("channel", route.channel);
  if (route.arch !== defaultArch) parameters.set("arch", route.arch);
  if (route.from !== "") parameters.set("from", route.from);
  if (route.to !== "") parameters.set("to", route.to);
  if (route.direction !== "from") parameters.set("direction", route.direction);
  for (const risk of route.avoid) parameters.append("avoid", risk);
  if (route.search !== "") parameters.set("search", route.search);
  const query = parameters.toString();
  return `#/${route.view}${query === "" ? "" : `?${query}`}`;
}
