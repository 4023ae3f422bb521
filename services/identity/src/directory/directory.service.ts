import { readFile } from 'node:fs/promises';
import type { AuthSettings } from '@overtone/contracts';
import { createDirectory, type Directory, type DirectoryConfig } from '@overtone/directory';
import type { Log, Part } from '@overtone/service-kit';
import pTimeout from 'p-timeout';
import type { Settings } from '../live-settings.ts';
import { createBreaker, type Verdict } from './breaker.ts';
import { directoryConfigOf, type Answer, type CurrentDirectory, type Person } from './directory.ts';

type Deps = {
  settings: Settings;
  log: Log;
  /** LDAP_TLS_CA_FILE: certificates (PEM) trusted for every directory. */
  caFile: string | undefined;
  connect?: (config: DirectoryConfig) => Directory;
};
type Client = {
  /** The settings that it was created from; settings that have not changed are the same object. */
  values: AuthSettings;
  key: string;
  directory: Directory;
  breaker: ReturnType<typeof createBreaker>;
  timeoutMs: number;
};

const slowMs = 1_000;
const limits = { maxConcurrent: 64, failures: 3, restMs: 5_000 };
const logEveryMs = 60_000;

/** Queries the directory of the effective settings. */
export function createCurrentDirectory({ settings, log, caFile, connect = createDirectory }: Deps) {
  let extraCa: string | null = null;
  const clients = createClients(log, connect);
  const logFailure = createFailureLog(log);

  const request = async (send: (directory: Directory) => Promise<Answer<Person>>): Promise<Answer<Person>> => {
    const { directory, breaker, timeoutMs } = clients.clientOf(settings.current(), extraCa);
    const started = performance.now();
    const judge = (answer: Answer<Person>): Verdict =>
      answer.outcome === 'unknown' && performance.now() - started > Math.min(slowMs, timeoutMs / 2)
        ? 'slow_failure'
        : 'fine';
    const answer =
      (await breaker.run(() => withTimeout(send(directory), timeoutMs), judge)) ??
      unknown('busy', 'The directory is not queried at the moment: too many requests failed');
    logFailure(answer);
    return answer;
  };

  const service: CurrentDirectory & { part: Part } = {
    authenticate: (login, password) => request((directory) => directory.authenticate(login, password)),
    lookUp: (login) => request((directory) => directory.lookUp(login)),
    config: () => directoryConfigOf(settings.current(), extraCa),
    part: {
      name: 'directory',
      start: async () => {
        extraCa = caFile ? await readFile(caFile, 'utf8') : null;
      },
      stop: clients.closeAll,
    },
  };
  return service;
}

/** One client at a time: created at first use and again after its settings change. */
function createClients(log: Log, connect: (config: DirectoryConfig) => Directory) {
  let current: Client | undefined;
  const toClose = new Set<Directory>();
  const close = async (directory: Directory): Promise<void> => {
    if (toClose.delete(directory))
      await directory.close().catch((err: unknown) => log.warn({ err: err as Error }, 'directory close failed'));
  };

  return {
    clientOf: (values: AuthSettings, extraCa: string | null): Client => {
      if (current?.values === values) return current;
      const config = directoryConfigOf(values, extraCa);
      const key = JSON.stringify(config);
      if (current?.key === key) return (current = { ...current, values });
      const replaced = current?.directory;
      // Requests in progress on the replaced client are completed first.
      if (replaced) setTimeout(() => void close(replaced), (current?.timeoutMs ?? 0) + 1_000).unref();
      const directory = connect(config);
      toClose.add(directory);
      const timeoutMs = config.timeoutSeconds * 1_000;
      return (current = { values, key, directory, breaker: createBreaker(limits), timeoutMs });
    },
    closeAll: async () => void (await Promise.all([...toClose].map(close))),
  };
}

/** At most one line per minute and reason: an outage does not flood the log. */
function createFailureLog(log: Log) {
  const lastLogged = new Map<string, number>();
  return (answer: Answer<Person>): void => {
    if (answer.outcome !== 'unknown') return;
    const { reason, message } = answer;
    if ((lastLogged.get(reason) ?? 0) > Date.now() - logEveryMs) return;
    lastLogged.set(reason, Date.now());
    log.warn({ reason, directory: message }, 'directory request failed: sign-ins that need it are refused');
  };
}

function unknown(reason: 'busy' | 'timeout' | 'config' | 'protocol', message: string): Answer<Person> {
  return { outcome: 'unknown', reason, message };
}

/** A second limit in case the client misses its own timeout. */
function withTimeout(answer: Promise<Answer<Person>>, timeoutMs: number): Promise<Answer<Person>> {
  const fallback = () => unknown('timeout', 'The directory did not respond in time');
  return pTimeout(answer, { milliseconds: timeoutMs + 500, fallback }).catch((error: Error) =>
    unknown('protocol', `The directory could not be queried: ${error.message}`),
  );
}
