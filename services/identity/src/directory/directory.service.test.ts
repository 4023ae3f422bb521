import { describe, expect, it } from '@jest/globals';
import type { AuthSettings } from '@overtone/contracts';
import { createLog } from '@overtone/service-kit';
import type { Directory, DirectoryConfig } from '@overtone/directory';
import { effective } from '../settings/settings.ts';
import { createCurrentDirectory } from './directory.service.ts';

function world(answer: () => Promise<never> = () => new Promise<never>(() => {})) {
  let values: AuthSettings = { ...effective(new Map(), {}).values, ldap_server: 'one', ldap_timeout: 1 };
  const made: { server: string; closed: boolean }[] = [];
  const connect = (config: DirectoryConfig): Directory => {
    const self = { server: config.server, closed: false };
    made.push(self);
    const no = async () => ({ outcome: 'no', reason: 'not_found', message: self.server }) as const;
    return {
      authenticate: no,
      lookUp: config.server === 'odd' ? answer : no,
      survey: () => {
        throw new Error('not asked for here');
      },
      diagnose: async () => ({ ok: true, steps: [], server_info: null }),
      close: async () => void (self.closed = true),
    } as Directory;
  };
  const log = createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
  const directory = createCurrentDirectory({ settings: { current: () => values }, log, caFile: undefined, connect });
  return { directory, made, set: (next: Partial<AuthSettings>) => void (values = { ...values, ...next }) };
}

describe('the directory of the effective settings', () => {
  it('has one client for all requests, also after changes of other settings', async () => {
    const directoryWorld = world();
    await directoryWorld.directory.authenticate('a', 'b');
    directoryWorld.set({ allow_registration: true });
    await Promise.all([directoryWorld.directory.lookUp('a'), directoryWorld.directory.lookUp('b')]);
    expect(directoryWorld.made).toHaveLength(1);
  });

  it('has a new client after its settings change, and all clients are closed at the end', async () => {
    const directoryWorld = world();
    await directoryWorld.directory.lookUp('a');
    directoryWorld.set({ ldap_server: 'two' });
    expect(await directoryWorld.directory.lookUp('a')).toMatchObject({ message: 'two' });
    await directoryWorld.directory.part.stop();
    expect(directoryWorld.made).toEqual([
      { server: 'one', closed: true },
      { server: 'two', closed: true },
    ]);
  });

  it('returns unknown in bounded time when its client does not respond, or throws', async () => {
    const silent = world();
    silent.set({ ldap_server: 'odd' });
    expect(await silent.directory.lookUp('a')).toMatchObject({ outcome: 'unknown', reason: 'timeout' });
    const broken = world(async () => {
      throw new Error('broken');
    });
    broken.set({ ldap_server: 'odd' });
    expect(await broken.directory.lookUp('a')).toMatchObject({ outcome: 'unknown', reason: 'protocol' });
  });
});
