import { describe, expect, it } from '@jest/globals';
import { dataFolder } from '../paths.ts';
import { serviceEnvironment, type EnvironmentSource } from './environment.ts';
import { groupName, groupOf, packEnvironments, takeHostedEnvironments } from './hosting.ts';
import { planInstance, portNames, serviceNames } from './plan.ts';

const sharing = [
  'directory-sync',
  'identity',
  'insights',
  'operations',
  'realtime-gateway',
  'transcription-dispatcher',
];
const alone = ['edge-gateway', 'media', 'search-indexer', 'transcription-worker'];

function source(caller: EnvironmentSource['caller']): EnvironmentSource {
  const ports = portNames(serviceNames()).map((name, index) => [name, 20_000 + index]);
  return {
    folder: dataFolder('/data'),
    instance: { port: 8080, adminAnnounced: true, ports: Object.fromEntries(ports) as Record<string, number> },
    secrets: { file: (name) => `/data/secrets/${name}`, read: (name) => `${name}/pass` },
    uiFolder: '/ui',
    caller: { PATH: '/bin', ...caller },
  };
}

describe('groupOf', () => {
  it('is every service but the edge, media, search and the worker with OT_PROCESSES=grouped', () => {
    expect(groupOf(serviceNames(), { OT_PROCESSES: 'grouped' })).toEqual(sharing);
  });

  it('is none with OT_PROCESSES=one-each', () => {
    expect(groupOf(serviceNames(), { OT_PROCESSES: 'one-each' })).toEqual([]);
  });

  it('is none of a single service', () => {
    expect(groupOf(['edge-gateway', 'identity'], { OT_PROCESSES: 'grouped' })).toEqual([]);
  });
});

describe('the environments of services that share a process', () => {
  it('are what each of them gets in a process of its own', () => {
    const given = { media: { PATH: '/bin', KEY: 'a' }, identity: { PATH: '/bin', KEY: 'b', JWT: 'c' } };
    const packed: Record<string, string | undefined> = packEnvironments(given);
    const rest = takeHostedEnvironments(packed);
    expect({ ...packed, ...rest['media'] }).toEqual(given.media);
    expect({ ...packed, ...rest['identity'] }).toEqual(given.identity);
  });

  it('leave nothing of one service in what child processes inherit', () => {
    const packed: Record<string, string | undefined> = packEnvironments({
      media: { PATH: '/bin', KEY: 'a' },
      identity: { PATH: '/bin', JWT: 'c' },
    });
    takeHostedEnvironments(packed);
    expect(packed).toEqual({ PATH: '/bin' });
  });
});

describe('planInstance with OT_PROCESSES=grouped', () => {
  const { services } = planInstance(source({ OT_PROCESSES: 'grouped' }));

  it('runs the services that share a process as one, and the others each in their own', () => {
    expect(services.map(({ name, hosts }) => [name, hosts])).toEqual([
      [groupName, sharing],
      ...alone.map((name) => [name, undefined]),
    ]);
  });

  it('gives each service its own environment, and its own log', () => {
    const common: Record<string, string | undefined> = { ...services[0]!.env };
    const rest = takeHostedEnvironments(common);
    for (const name of sharing)
      expect({ ...common, ...rest[name] }).toEqual({
        ...serviceEnvironment(name, source({ OT_PROCESSES: 'grouped' })),
        OT_LOG_PATH: `/data/logs/${name}.log`,
      });
  });

  it('names the services in the command, so that a person finds them among the processes', () => {
    expect(services[0]!.args.slice(-sharing.length)).toEqual(sharing);
  });
});
