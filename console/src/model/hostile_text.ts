// SPDX-License-Identifier: Apache-2.0

// Texts and links of graph data, which somebody else has written. They are shown as text: no markup, no control characters that reorder or
// hide what follows, and no link that is more than an address.

/** Controls of C0 and C1 but line feeds and tabs, of bidirectional text (UAX #9), invisible format characters, and lone surrogates. */
const unseen =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Returns a text with characters that one cannot see, or that turn others around, written out: `\u{202E}`. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => `\\u{${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}}`);
}

/** Returns an address that a link may lead to; null for one of another scheme than http and https, with credentials, or with characters
 * that one cannot see. */
export function linkOf(text: string): string | null {
  if (visible(text) !== text || /[\s<>"\\]/.test(text)) return null;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null;
  }
  if ((url.protocol !== "https:" && url.protocol !== "http:") || url.username !== "" || url.password !== "") return null;
  return url.href;
}
