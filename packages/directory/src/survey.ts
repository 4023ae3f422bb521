import { agreed, clockText, ownClock, type Clock } from './clock.ts';
import { configFaults } from './config-faults.ts';
import type { Connection } from './connection.ts';
import { createConnections } from './connections.ts';
import { deadlineIn } from './deadline.ts';
import { parseDnList } from './dn-list.ts';
import { asFailure, DirectoryFailure, failureOf, resultCodes } from './failures.ts';
import { present } from './filter.ts';
import { ldapClaimKey } from './group-mapping.ts';
import type { Answer, DirectoryConfig } from './model.ts';
import { paced, type Pacing } from './paced.ts';
import { readRootDse } from './root-dse.ts';
import { parseServers, serverText } from './servers.ts';
import type { Asking } from './survey-asking.ts';
import { isAttributeUsed, reachOf } from './survey-groups.ts';
import { readableWords, readPeople } from './survey-people.ts';
import type { Surveyed } from './survey-reader.ts';

/** The evidence that the snapshot is complete. */
export interface Survey {
  readonly seen: number;
  readonly proof: readonly { readonly code: string; readonly evidence: string }[];
}

export interface SurveyOptions extends Pacing {
  /** Names of the groups that claims are wanted of. */
  readonly mapped: readonly string[];
  readonly each: (person: Surveyed) => void;
  readonly clock?: Clock;
}

/**
 * Reads all users over one connection to one server, page by page. The result is 'yes' only
 * when completeness is proved: every page ended with success and an empty cookie, the base and all required groups exist,
 * and no limit, referral or partial attribute occurred. Everything else is unknown.
 */
export async function survey(config: DirectoryConfig, options: SurveyOptions): Promise<Answer<Survey>> {
  const [fault] = configFaults(config);
  if (fault !== undefined) return unknown(new DirectoryFailure('config', `${fault.key}: ${fault.message}`));
  try {
    const opened = await openFirst(config, options);
    try {
      // No fail-over from here on: users that were already passed on would be passed on twice.
      return { outcome: 'yes', value: await readAll(paced(opened, config, options), config, options) };
    } finally {
      opened.close();
    }
  } catch (error) {
    return unknown(error);
  }
}

/** A connection to the first server that can be reached. */
async function openFirst(config: DirectoryConfig, { onRequest, signal }: SurveyOptions): Promise<Connection> {
  const { openAsService } = createConnections(config);
  let failure: unknown;
  for (const server of parseServers(config)) {
    try {
      onRequest();
      return await openAsService(server, deadlineIn(config.timeoutSeconds * 1000));
    } catch (error) {
      failure = error;
      if (asFailure(error).reason !== 'unreachable' || signal.aborted) break;
    }
  }
  throw failure;
}

const unknown = (error: unknown): Answer<Survey> => {
  const { reason, message } = asFailure(error);
  return { outcome: 'unknown', reason, message };
};

async function readAll(connection: Connection, config: DirectoryConfig, options: SurveyOptions): Promise<Survey> {
  const deadline = deadlineIn(24 * 3_600_000);
  const root = await readRootDse(connection, deadline);
  const clock = agreed(options.clock ?? ownClock(), root.currentTime);
  const asking = { connection, config, root, deadline };
  await mustExist(asking, config.searchBase, 'base');
  const deciding = [...parseDnList(config.userGroups).dns, ...parseDnList(config.adminGroups).dns];
  for (const dn of deciding) await mustExist(asking, dn, 'group');
  const wanted = distinct([...deciding, ...options.mapped]);
  const listed = wanted.length > 0 && (await isAttributeUsed(asking));
  const reach = await reachOf(asking, wanted, listed);
  const { counts, pages } = await readPeople(asking, { reach, listed, clock, each: options.each });
  const { seen } = counts;
  return {
    seen,
    proof: [
      { code: 'peer', evidence: `${serverText(connection.server)}, ${root.vendorName ?? 'unknown vendor'}` },
      { code: 'bind', evidence: config.bindDn ?? 'anonymous' },
      { code: 'clock', evidence: clockText(clock) },
      { code: 'base', evidence: config.searchBase },
      { code: 'groups', evidence: `${deciding.length} deciding groups exist, ${wanted.length} looked at` },
      { code: 'pages', evidence: `${pages} pages closed by success and an empty cookie` },
      { code: 'people', evidence: `${seen} entries` },
      { code: 'attributes', evidence: readableWords(counts, config) },
    ],
  };
}

const distinct = (dns: readonly string[]): string[] => [...new Map(dns.map((dn) => [ldapClaimKey(dn), dn])).values()];

async function mustExist({ connection, deadline }: Asking, dn: string, what: 'base' | 'group'): Promise<void> {
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
