import { describe, expect, it } from '@jest/globals';
import { erasureServices } from '@overtone/contracts';
import { normalizedAddress, statusOf, stateOfService, type Report } from './erasure.ts';

let clock = 0;
function buildReport(service: string, change: Partial<Report> = {}): Report {
  clock += 1;
  return { service, round: 1, counts: {}, held: 0, complete: true, reportedAt: new Date(clock), ...change };
}

describe('an erasure', () => {
  const all = erasureServices.map((service) => buildReport(service));

  it('is done when every service has given a complete answer, and not before', () => {
    expect(statusOf(1, all)).toBe('done');
    for (const service of erasureServices) {
      const others = all.filter((report) => report.service !== service);
      expect(statusOf(1, others)).toBe('running');
      expect(statusOf(1, [...others, buildReport(service, { complete: false })])).toBe('running');
    }
  });

  it('is held while a legal hold keeps files, until a later answer has none', () => {
    const held = buildReport('media', { held: 2 });
    expect(statusOf(1, [...all, held])).toBe('held');
    expect(statusOf(1, [...all, held, buildReport('media')])).toBe('done');
  });

  it('of a later round needs new answers of every service', () => {
    expect(statusOf(2, all)).toBe('running');
    expect(statusOf(2, [...all, ...erasureServices.map((service) => buildReport(service, { round: 2 }))])).toBe('done');
  });

  it('waits for the mirror to follow every erased file, in whatever order the answers arrive', () => {
    const erased = [...all, buildReport('media', { complete: false, counts: { files: 2 } })];
    expect(stateOfService('operations', 1, erased).status).toBe('pending');
    const followed = [...erased, buildReport('operations', { complete: false, counts: { mirrored_files: 2 } })];
    expect(stateOfService('operations', 1, followed).status).toBe('done');
  });

  it('compares addresses without regard to case and space', () => {
    expect(normalizedAddress(' Ada@Example.org ')).toBe(normalizedAddress('ada@example.org'));
  });
});
