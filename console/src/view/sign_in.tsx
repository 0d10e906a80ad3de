// SPDX-License-Identifier: Apache-2.0

// Credentials for private channels. They are kept in memory, so a reload of the page forgets them.

import { useState } from "preact/hooks";
import { basic, bearer, isHeaderValue } from "../api/client";
import { fieldOf } from "./parts";

export function SignIn({ onChange }: { onChange: (authorization: string | null) => void }) {
  const [signedIn, setSignedIn] = useState(false);
  const [open, setOpen] = useState(false);
  const [fault, setFault] = useState("");
  const signIn = (event: Event, authorization: string | null) => {
    event.preventDefault();
    if (authorization === null) return;
    onChange(authorization);
    (event.currentTarget as HTMLFormElement).reset();
    setSignedIn(true);
    setOpen(false);
  };
  const byToken = (event: Event) => {
    const token = fieldOf(event, "token");
    const odd = token !== "" && !isHeaderValue(token);
    setFault(odd ? "This is no token: it has spaces, or characters outside ASCII. Copy it again, without what stands around it." : "");
    if (odd) event.preventDefault();
    else signIn(event, token === "" ? null : bearer(token));
  };
  const byPassword = (event: Event) => {
    const user = fieldOf(event, "user");
    const password = new FormData(event.currentTarget as HTMLFormElement).get("password");
    signIn(event, user === "" ? null : basic(user, typeof password === "string" ? password : ""));
  };
  if (signedIn) {
    return (
      <button type="button" class="sign" onClick={() => { onChange(null); setSignedIn(false); }}>
        Sign out
      </button>
    );
  }
  return (
    <details class="sign" open={open} onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>Sign in</summary>
      <div>
        <p>For private channels. This page forgets the credentials when it is closed or loaded again.</p>
        <form onSubmit={byToken} autocomplete="off">
          <label>
            Token
            <input name="token" type="password" autocomplete="off" />
          </label>
          <button type="submit">Sign in with the token</button>
          {fault !== "" && <p role="alert">{fault}</p>}
        </form>
        <form onSubmit={byPassword} autocomplete="off">
          <label>
            User
            <input name="user" autocomplete="off" spellcheck={false} />
          </label>
          <label>
            Password
            <input name="password" type="password" autocomplete="off" />
          </label>
          <button type="submit">Sign in with the password</button>
        </form>
      </div>
    </details>
  );
}
