import { describe, expect, it } from '@jest/globals';
import { landingTests, namedTests } from './tiers.ts';

describe('landing tier', () => {
  it('runs one product, with the suites of one spec file', () => {
    const projects = landingTests().flatMap(({ command }) => command.filter((_, i) => command[i - 1] === '--project'));
    expect(projects).toEqual(['landing']);
  });
});

describe('nightly tier', () => {
  const argumentsOf = (part?: string) =>
    namedTests['nightly']?.checks(part).map(({ command }) => command.join(' ')) ?? [];

  it('runs the pure tests with another seed, the endurance tests, and every other spec file', () => {
    const [pure, endurance, endToEnd, ...rest] = argumentsOf();
    expect(pure).toContain('--selectProjects pure');
    expect(endurance).toContain('--selectProjects endurance');
    expect(rest).toEqual([]);
    for (const spec of ['product', 'pages', 'panels', 'scripted', 'replicas', 'killed', 'one-update'])
      expect(endToEnd).toContain(`--project ${spec}`);
  });

  it('can be one ring, one spec file or one suite', () => {
    for (const ring of ['pure', 'endurance'])
      expect(argumentsOf(ring)).toEqual([expect.stringContaining(`--selectProjects ${ring}`)]);
    expect(argumentsOf('replicas')).toEqual([expect.stringMatching(/--project replicas$/)]);
    expect(argumentsOf('Slow clients')).toEqual([expect.stringMatching(/--project one-update --grep Slow clients$/)]);
  });

  it('is the only one with a seed of its own', () => {
    expect(Object.keys(namedTests).filter((name) => namedTests[name]?.isRandom)).toEqual(['nightly']);
  });
});

describe('test of the containers', () => {
  it('shows what stood in for something else, also when everything passed', () => {
    const [check] = namedTests['containers']!.checks();
    const output = '  ok 1\n        media: built in 60 s\n        substituted: tag redis:7\n        not run: grafana\n';
    expect(check?.notes?.(output).map((line) => line.trim())).toEqual(['substituted: tag redis:7', 'not run: grafana']);
  });
});
