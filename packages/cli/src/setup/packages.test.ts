import { describe, expect, it } from '@jest/globals';
import { installCommand, missingPackages } from './packages.ts';

describe('packages', () => {
  it('names those that are not there', () => {
    const there = { name: 'ffmpeg', isThere: () => true };
    expect(missingPackages([there, { name: 'nats-server', isThere: () => false }])).toEqual(['nats-server']);
  });

  it('tells an ordinary user to ask for more rights', () => {
    expect(installCommand(['ffmpeg', 'nats-server'], false)).toBe(
      'sudo apt-get install -y --no-install-recommends ffmpeg nats-server',
    );
  });
});
