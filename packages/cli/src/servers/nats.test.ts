import { describe, expect, it } from '@jest/globals';
import { natsConfig } from './nats.ts';

describe('natsConfig', () => {
  it('listens on the loopback only', () => {
    expect(natsConfig({ folder: '/data', port: 4222 })).toContain('host: "127.0.0.1"');
  });

  it('gives each user exactly its subjects', () => {
    const users = [{ user: 'media', password: 'p"w', publish: ['evt.media.>'], subscribe: ['rpc.media.*'] }];
    expect(natsConfig({ folder: '/data', port: 4222, users })).toContain(
      '{ user: "media", password: "p\\"w", permissions: { publish: { allow: ["evt.media.>"] }, subscribe: { allow: ["rpc.media.*"] } } }',
    );
  });
});
