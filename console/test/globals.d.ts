// SPDX-License-Identifier: Apache-2.0

/** The folder console/ of the checkout; test.mjs puts it in. */
declare const CONSOLE_FOLDER: string;
