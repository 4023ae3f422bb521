import { describe, expect, it } from '@jest/globals';
import { natsPermissions } from './bus-permissions.ts';
import type { ServiceName } from './define.ts';
import { topology } from './topology.ts';

const services = Object.keys(topology) as ServiceName[];

function mayPublish(service: ServiceName, subject: string): boolean {
  return natsPermissions(service).publish.includes(subject);
}

describe('bus permissions', () => {
  it('only the stream owner may answer flow control', () => {
    expect(services.filter((service) => mayPublish(service, '$JS.FC.>'))).toEqual(['transcription-dispatcher']);
  });

  it('no service may publish to wildcards, inboxes or the feed', () => {
    const wide = (name: ServiceName) =>
      natsPermissions(name).publish.filter((pattern) => /^(_INBOX|>|feed)/.test(pattern));
    expect(services.filter((service) => wide(service).length > 0)).toEqual([]);
  });

  it('a service may reply if and only if it serves RPCs', () => {
    const repliers = services.filter((service) => natsPermissions(service).allowResponses);
    expect(repliers).toEqual(services.filter((service) => topology[service].serves.length > 0));
  });

  it('a service may read the last event of its own subjects, and of no others', () => {
    const readable = (name: ServiceName) =>
      natsPermissions(name).publish.filter((pattern) => pattern.startsWith('$JS.API.DIRECT.'));
    for (const service of services)
      expect(new Set(readable(service))).toEqual(
        new Set(topology[service].emits.map(({ subject }) => `$JS.API.DIRECT.GET.EVENTS.${subject}`)),
      );
  });
});
