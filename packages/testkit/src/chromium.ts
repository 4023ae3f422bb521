import { existsSync } from 'node:fs';

// The shell without a window first: it needs half of the processor time of the whole browser.
const executables = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
/** Arguments that limit the network access of Chromium to the pages of a test. */
export const quietArguments = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of the Chromium of this machine. */
export function chromiumPath(): string {
  const found = executables.find((path) => existsSync(path));
  if (found === undefined)
    throw new Error(`no Chromium at ${executables.join(', ')}; install the package chromium-headless-shell`);
  return found;
}
