import { agreed, clockText, ownClock, type Clock } from './clock.ts';
import { configFailure } from '../config-faults.ts';
import type { Connection } from '../wire/connection.ts';
import { openFirstReachable } from '../wire/connections.ts';
import { deadlineIn } from '../wire/deadline.ts';
import { parseDnList } from '../dn/dn-list.ts';
import { DirectoryFailure, failureOf, resultCodes, unknownAnswer } from '../wire/failures.ts';
import { present } from '../filter/filter.ts';
import { ldapClaimKey } from '../dn/claim-key.ts';
import type { Answer, DirectoryConfig } from '../model.ts';
import { paced, type Pacing } from './paced.ts';
import { readRootDse } from './root-dse.ts';
import { parseServers, serverText } from '../wire/servers.ts';
import type { SnapshotSearch } from './snapshot-search.ts';
import { isAttributeUsed, readReach } from './snapshot-groups.ts';
import { readableText, readPeople, type SnapshotPerson } from './snapshot-people.ts';

/** The evidence that the snapshot is complete. */
export type DirectorySnapshot = {
  readonly seen: number;
  readonly proof: readonly { readonly code: string; readonly evidence: string }[];
};

export type SnapshotOptions = {
  /** Names of the groups that are requested as claims. */
  readonly mapped: readonly string[];
  readonly each: (person: SnapshotPerson) => void;
  readonly clock?: Clock;
} & Pacing;

/**
 * Reads all users over one connection to one server, page by page. The result is 'yes' only
 * when completeness is proved: every page ended with success and an empty cookie, the base and all required groups exist,
 * and no limit, referral or partial attribute occurred. Everything else is unknown.
 */
export async function readSnapshot(
  config: DirectoryConfig,
  options: SnapshotOptions,
): Promise<Answer<DirectorySnapshot>> {
  const fault = configFailure(config);
  if (fault !== undefined) return unknownAnswer(fault);
  try {
    const opened = await openFirstReachable(config, parseServers(config), options);
    try {
      // No fail-over after this point, because users would be reported twice.
      return { outcome: 'yes', value: await readAll(paced(opened, config, options), config, options) };
    } finally {
      opened.close();
    }
  } catch (error) {
    return unknownAnswer(error);
  }
}

async function readAll(
  connection: Connection,
  config: DirectoryConfig,
  options: SnapshotOptions,
): Promise<DirectorySnapshot> {
  const deadline = deadlineIn(24 * 3_600_000);
  const root = await readRootDse(connection, deadline);
  const clock = agreed(options.clock ?? ownClock(), root.currentTime);
  const search = { connection, config, root, deadline };
  await mustExist(search, config.searchBase, 'base');
  const deciding = [...parseDnList(config.userGroups).dns, ...parseDnList(config.adminGroups).dns];
  for (const dn of deciding) await mustExist(search, dn, 'group');
  const wanted = distinct([...deciding, ...options.mapped]);
  const listed = wanted.length > 0 && (await isAttributeUsed(search));
  const reach = await readReach(search, wanted, listed);
  const { counts, pages } = await readPeople(search, { reach, listed, clock, each: options.each });
  const { seen } = counts;
  return {
    seen,
    proof: [
      { code: 'peer', evidence: `${serverText(connection.server)}, ${root.vendorName ?? 'unknown vendor'}` },
      { code: 'bind', evidence: config.bindDn ?? 'anonymous' },
      { code: 'clock', evidence: clockText(clock) },
      { code: 'base', evidence: config.searchBase },
      { code: 'groups', evidence: `${deciding.length} deciding groups exist, ${wanted.length} looked at` },
      { code: 'pages', evidence: `${pages} pages read completely` },
      { code: 'people', evidence: `${seen} entries` },
      { code: 'attributes', evidence: readableText(counts, config) },
    ],
  };
}

function distinct(dns: readonly string[]): string[] {
  return [...new Map(dns.map((dn) => [ldapClaimKey(dn), dn])).values()];
}

async function mustExist({ connection, deadline }: SnapshotSearch, dn: string, what: 'base' | 'group'): Promise<void> {
  const question = {
    base: dn,
    scope: 'base',
    filter: present('objectClass'),
    attributes: ['1.1'],
    maxEntries: 1,
  } as const;
  const { code, diagnostic, entries } = await connection.search(question, deadline);
  if (code === resultCodes.success && entries.length === 1) return;
  const failure =
    code === resultCodes.success ? new DirectoryFailure('refused', 'no entry') : failureOf(code, diagnostic);
  throw new DirectoryFailure(failure.reason, `The ${what} ${dn} cannot be read: ${failure.message}`, {
    cause: failure,
  });
}
