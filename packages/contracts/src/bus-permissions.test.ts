import { describe, expect, it } from '@jest/globals';
import { natsPermissions } from './bus-permissions.ts';
import type { ServiceName } from './define.ts';
import { topology } from './topology.ts';

const services = Object.keys(topology) as ServiceName[];
const mayPublish = (service: ServiceName, subject: string): boolean =>
  natsPermissions(service).publish.includes(subject);

describe('rights on the bus', () => {
  it('flow control of the broker is answered by the owner of the streams alone, which watches buckets', () => {
    expect(services.filter((s) => mayPublish(s, '$JS.FC.>'))).toEqual(['transcription-dispatcher']);
  });

  it('no service but the owner of the streams may publish to a subject that others receive by its pattern', () => {
    const wide = (s: ServiceName) => natsPermissions(s).publish.filter((p) => /^(_INBOX|>|feed)/.test(p));
    expect(services.filter((s) => wide(s).length > 0)).toEqual([]);
  });

  it('a service may reply exactly when it serves requests', () => {
    const repliers = services.filter((s) => natsPermissions(s).allowResponses);
    expect(repliers).toEqual(services.filter((s) => topology[s].serves.length > 0));
  });
});
