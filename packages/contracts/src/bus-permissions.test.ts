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
    expect(services.filter((s) => mayPublish(s, '$JS.FC.>'))).toEqual(['transcription-dispatcher']);
  });

  it('no service may publish to wildcards, inboxes or the feed', () => {
    const wide = (s: ServiceName) => natsPermissions(s).publish.filter((p) => /^(_INBOX|>|feed)/.test(p));
    expect(services.filter((s) => wide(s).length > 0)).toEqual([]);
  });

  it('a service may reply if and only if it serves RPCs', () => {
    const repliers = services.filter((s) => natsPermissions(s).allowResponses);
    expect(repliers).toEqual(services.filter((s) => topology[s].serves.length > 0));
  });
});
