// SPDX-License-Identifier: Apache-2.0

// The commands that do what the page only shows. A name that a shell or the command could read as something else gets none.

/** A name as an argument that is neither a flag nor more than one word: "stable-4.7". "NAME-" means to take a risk back. */
const plainName = /^[0-9A-Za-z][\w.+]*(?:-[\w.+]+)*$/;

/** Returns the command that asks for an update; null for a version that is none. `risks`: the update is not recommended. */
export function updateCommand(version: string, risks: boolean): string | null {
  if (!/^\d[\w.+]*(?:-[\w.+]+)*$/.test(version)) return null;
  return `fairway adm upgrade --to ${version}${risks ? " --allow-not-recommended" : ""}`;
}

/** Returns the command that accepts a risk for all updates; null for a name that cannot be given so. */
export function acceptCommand(risk: string): string | null {
  return plainName.test(risk) ? `fairway adm upgrade accept ${risk}` : null;
}

/** The command that takes a request for an update back. Where the update has begun, the release completed last is applied again. */
export const cancelCommand = "fairway adm upgrade --clear";
export const cancelWords = "To take the request back; an update that has begun is undone";
export const channelCommand = "fairway adm upgrade channel CHANNEL";
/** The command that says in a terminal what a stuck update waits for. */
export const whyCommand = "fairway adm upgrade why";
