import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const ways = 'service="edge-gateway",route=~"/api/auth/(token|oidc/callback|pki/authenticate|proxy/authenticate)"';

const signIn = [
  lines(
    'Sign-ins',
    {
      expr: `sum by (route, status) (rate(http_requests_total{${ways}}[$__rate_interval]))`,
      legend: '{{route}} {{status}}',
    },
    {
      description:
        'Responses of all sign-in methods by status: 200 and 302 succeed, 401 and 403 fail, 429 is rate limited.',
      unit: 'reqps',
    },
  ),
  lines(
    'Failed sign-ins',
    { expr: 'sign_in:failures:rate5m', legend: 'refused' },
    {
      description: 'Failed sign-ins per second, of all methods.',
      unit: 'reqps',
      thresholds: { red: 0.5 },
      alerts: ['SignInFailuresSurge'],
    },
  ),
  lines(
    'Lockouts',
    { expr: 'sum(increase(account_lockouts_total[15m]))', legend: 'in 15 minutes' },
    {
      description: 'Accounts and names locked after too many failures.',
      unit: 'short',
      thresholds: { red: 10 },
      alerts: ['AccountLockouts'],
    },
  ),
  lines(
    'Sign-in duration',
    {
      expr: `histogram_quantile(0.95, sum by (route, le) (rate(http_request_duration_seconds_bucket{${ways}}[$__rate_interval])))`,
      legend: '{{route}}',
    },
    {
      description: '95th percentile. A failure is slow on purpose; a directory or provider adds its own time.',
      unit: 's',
    },
  ),
  lines(
    'New accounts',
    { expr: 'sum by (method) (increase(user_signups_total[1d]))', legend: '{{method}}' },
    {
      description: 'New accounts in 24 hours by source; keycloak is any OpenID Connect provider.',
      unit: 'short',
      stacked: true,
    },
  ),
  lines(
    'Setting look-ups',
    {
      expr: 'sum by (result) (rate(cache_operations_total{cache="settings"}[$__rate_interval]))',
      legend: '{{result}}',
    },
    {
      description:
        'A hit is read from memory, a miss from the database: after a start, and after a change of a setting.',
      unit: 'ops',
    },
  ),
];

function last(name: string) {
  return `max(directory_sync_${name})`;
}

const sweep = [
  number('Sweep enabled', last('enabled'), {
    description: 'Whether the directory sweep runs on its schedule.',
    unit: 'bool_yes_no',
  }),
  number('Age of the last successful pass', last('age_seconds'), {
    description:
      'Time since the last successful pass or since the sweep was enabled, whichever is later; 0 while disabled.',
    unit: 'dtdurations',
    alerts: ['DirectorySyncOverdue'],
  }),
  number('Runs missed', last('runs_missed'), {
    description: 'Scheduled runs since the last successful pass.',
    unit: 'short',
    thresholds: { orange: 1, red: 2 },
    alerts: ['DirectorySyncOverdue'],
  }),
  number('Seen', last('last_seen'), { description: 'Directory entries read by the last pass.', unit: 'short' }),
  number('Candidates', last('last_candidates'), {
    description: 'Accounts that the last pass found to have left the directory.',
    unit: 'short',
  }),
  number('Disabled', last('last_disabled'), { description: 'Accounts disabled by the last pass.', unit: 'short' }),
  states(
    'Outcome of the last pass',
    { expr: 'max by (outcome) (directory_sync_last_outcome)', legend: '{{outcome}}' },
    {
      description:
        'ok is successful; held waits for an approval; directory_unavailable and failed were aborted and disabled no account.',
      unit: 'bool_yes_no',
      alerts: ['DirectorySyncAborted', 'DirectorySyncHeld'],
    },
  ),
  lines(
    'Passes',
    {
      expr: 'sum by (outcome, dry_run) (increase(directory_sync_passes_total[1d]))',
      legend: '{{outcome}}, dry run: {{dry_run}}',
    },
    {
      description: 'Passes of 24 hours by outcome.',
      unit: 'short',
      width: 12,
    },
  ),
  lines(
    'Pass duration',
    { expr: last('last_duration_seconds'), legend: 'last pass' },
    { description: 'Duration of the last pass.', unit: 's' },
  ),
  lines(
    'LDAP requests',
    { expr: last('last_ldap_requests'), legend: 'last pass' },
    {
      description: 'The number grows with pages and groups, not with persons.',
      unit: 'short',
    },
  ),
  lines(
    'Accounts disabled',
    { expr: 'sum(increase(directory_sync_disabled_total[1d]))', legend: 'in 24 hours' },
    { description: 'By passes, in 24 hours.', unit: 'short' },
  ),
];

export const people: DashboardSpec = {
  uid: 'overtone-people',
  title: 'Overtone: sign-in and directory',
  description: 'Successful and failed sign-ins, and the directory sweep.',
  rows: [
    { title: 'Sign-in', panels: signIn },
    { title: 'The sweep of the directory', panels: sweep },
  ],
};
