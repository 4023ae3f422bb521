import type { Answer, Directory, DirectoryConfig, Person } from './model.ts';

/** A directory as configured; nothing is contacted before the first question. */
export function createDirectory(_config: DirectoryConfig, _deps: { now?: () => Date } = {}): Directory {
  const unreachable: Answer<Person> = { outcome: 'unknown', reason: 'unreachable', message: 'Not connected.' };
  return {
    authenticate: async () => await Promise.resolve(unreachable),
    lookUp: async () => await Promise.resolve(unreachable),
    diagnose: async () => await Promise.resolve({ ok: false, steps: [], server_info: null }),
    close: async () => await Promise.resolve(),
  };
}
