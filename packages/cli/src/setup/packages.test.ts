import { describe, expect, it } from '@jest/globals';
import { installCommand, missingPackages } from './packages.ts';

describe('packages', () => {
  it('lists the missing ones', () => {
    const there = { name: 'ffmpeg', isThere: () => true };
    expect(missingPackages([there, { name: 'nats-server', isThere: () => false }])).toEqual(['nats-server']);
  });

  it('shows an ordinary user the command with sudo', () => {
    expect(installCommand(['ffmpeg', 'nats-server'], false)).toBe(
      'sudo apt-get install -y --no-install-recommends ffmpeg nats-server',
    );
  });
});
