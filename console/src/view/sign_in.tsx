// SPDX-License-Identifier: Apache-2.0

// Credentials for private channels. They are kept in memory, so a reload of the page forgets them.

import { useState } from "preact/hooks";
import { basic, bearer } from "../api/client";
import { fieldOf } from "./parts";

export function SignIn({ onChange }: { onChange: (authorization: string | null) => void }) {
  const [signedIn, setSignedIn] = useState(false);
  const [open, setOpen] = useState(false);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = fieldOf(event, "token");
    const user = fieldOf(event, "user");
    if (token === "" && user === "") return;
    const password = new FormData(event.currentTarget as HTMLFormElement).get("password");
    onChange(token !== "" ? bearer(token) : basic(user, typeof password === "string" ? password : ""));
    (event.currentTarget as HTMLFormElement).reset();
    setSignedIn(true);
    setOpen(false);
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
      <form onSubmit={submit} autocomplete="off">
        <p>For private channels. This page forgets the credentials when it is closed or loaded again.</p>
        <label>
          Token
          <input name="token" type="password" autocomplete="off" />
        </label>
        <p>or</p>
        <label>
          User
          <input name="user" autocomplete="off" spellcheck={false} />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="off" />
        </label>
        <button type="submit">Sign in</button>
      </form>
    </details>
  );
}
