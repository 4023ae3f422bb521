import { homeFolder, productVersion } from '../paths.ts';
import { messageOf } from '../refusal.ts';
import { branchOf, fetchReleases, knownVersions, readPin } from '../update/releases.ts';
import { createTerminal } from '../terminal.ts';

/** Prints the version that runs, the pinned release, and the newest one that is known. */
export async function version(options: { fetch?: boolean; json?: boolean }): Promise<void> {
  let failure: string | undefined;
  if (options.fetch === true) await fetchReleases(homeFolder).catch((error: unknown) => (failure = messageOf(error)));
  const found = {
    current: productVersion(),
    pinned: readPin(homeFolder) ?? null,
    newest: (await knownVersions(homeFolder))[0] ?? null,
    fetch_error: failure ?? null,
  };
  if (options.json === true) return void process.stdout.write(`${JSON.stringify(found, undefined, 2)}\n`);
  const terminal = createTerminal();
  terminal.line(found.current);
  const branch = found.pinned === null ? await branchOf(homeFolder) : undefined;
  const clone =
    branch === undefined ? `the clone in ${homeFolder}` : `the branch ${branch} of the clone in ${homeFolder}`;
  terminal.line(`pinned  ${found.pinned ?? `none: ./overtone runs ${clone}`}`);
  const source = options.fetch === true ? '' : ' among the fetched tags (--fetch asks the remote)';
  terminal.line(`newest  ${found.newest ?? 'unknown'}${source}`);
  if (failure !== undefined) terminal.warn(failure);
}
