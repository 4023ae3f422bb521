import { describe, expect, it } from '@jest/globals';
import { natsPermissions } from './bus-permissions.ts';
import type { ServiceName } from './define.ts';
import { topology } from './topology.ts';

const services = Object.keys(topology) as ServiceName[];
const mayPublish = (service: ServiceName, subject: string): boolean =>
  natsPermissions(service).publish.includes(subject);

describe('who follows a stream or a bucket from memory', () => {
  const followers = services.filter((s) => topology[s].follows.length > 0 || s === 'transcription-dispatcher');

  it.each(followers)('%s may answer the flow control of the broker, or it is sent nothing any more', (service) => {
    expect(mayPublish(service, '$JS.FC.>')).toBe(true);
  });
  it('nobody else has to do with it', () => {
    const others = services.filter((s) => !followers.includes(s));
    expect(others.filter((s) => mayPublish(s, '$JS.FC.>'))).toEqual([]);
  });
});
