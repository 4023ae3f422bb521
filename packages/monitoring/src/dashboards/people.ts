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
      says: 'Answers of the ways to sign in, by status: 200 and 302 are let in, 401 and 403 refused, 429 asked to wait.',
      unit: 'reqps',
    },
  ),
  lines(
    'Sign-ins refused',
    { expr: 'sign_in:failures:rate5m', legend: 'refused' },
    {
      says: 'Refused sign-ins per second, of every way.',
      unit: 'reqps',
      thresholds: { red: 0.5 },
      alerts: ['SignInFailuresSurge'],
    },
  ),
  lines(
    'Lockouts',
    { expr: 'sum(increase(account_lockouts_total[15m]))', legend: 'in 15 minutes' },
    {
      says: 'Accounts and names locked after too many failures.',
      unit: 'short',
      thresholds: { red: 10 },
      alerts: ['AccountLockouts'],
    },
  ),
  lines(
    'Time of a sign-in',
    {
      expr: `histogram_quantile(0.95, sum by (route, le) (rate(http_request_duration_seconds_bucket{${ways}}[$__rate_interval])))`,
      legend: '{{route}}',
    },
    { says: '95 % are quicker. A refusal is slow on purpose; a directory or provider adds its own time.', unit: 's' },
  ),
  lines(
    'Accounts made',
    { expr: 'sum by (method) (increase(user_signups_total[1d]))', legend: '{{method}}' },
    {
      says: 'New accounts in 24 hours, by where they come from; keycloak is any OpenID Connect provider.',
      unit: 'short',
      stacked: true,
    },
  ),
  lines(
    'Settings looked up',
    {
      expr: 'sum by (result) (rate(cache_operations_total{cache="settings"}[$__rate_interval]))',
      legend: '{{result}}',
    },
    {
      says: 'A hit is answered from memory, a miss is read from the database: after a start, and when somebody changed one.',
      unit: 'ops',
    },
  ),
];

const last = (name: string) => `max(directory_sync_${name})`;
const sweep = [
  number('Sweep switched on', last('enabled'), {
    says: 'Whether the sweep of the directory runs by its schedule.',
    unit: 'bool_yes_no',
  }),
  number('Age of the last good pass', last('age_seconds'), {
    says: 'Since the last good pass, or since the switch was set where that was later; 0 while it is off.',
    unit: 'dtdurations',
    alerts: ['DirectorySyncOverdue'],
  }),
  number('Times missed', last('runs_missed'), {
    says: 'Times of the schedule that have come since the last good pass.',
    unit: 'short',
    thresholds: { orange: 1, red: 2 },
    alerts: ['DirectorySyncOverdue'],
  }),
  number('Seen', last('last_seen'), { says: 'Entries the directory answered with in the last pass.', unit: 'short' }),
  number('Candidates', last('last_candidates'), { says: 'Accounts the last pass found to have left.', unit: 'short' }),
  number('Disabled', last('last_disabled'), { says: 'Accounts the last pass disabled.', unit: 'short' }),
  states(
    'How the last pass ended',
    { expr: 'max by (outcome) (directory_sync_last_outcome)', legend: '{{outcome}}' },
    {
      says: 'ok is good; held waits for an approval; directory_unavailable and failed were broken off and disabled nobody.',
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
      says: 'Passes of 24 hours by how they ended.',
      unit: 'short',
      width: 12,
    },
  ),
  lines(
    'Time of a pass',
    { expr: last('last_duration_seconds'), legend: 'last pass' },
    { says: 'How long the last pass took.', unit: 's' },
  ),
  lines(
    'LDAP requests',
    { expr: last('last_ldap_requests'), legend: 'last pass' },
    {
      says: 'Requests grow with pages and groups, never with people.',
      unit: 'short',
    },
  ),
  lines(
    'Accounts disabled',
    { expr: 'sum(increase(directory_sync_disabled_total[1d]))', legend: 'in 24 hours' },
    { says: 'By passes, in 24 hours.', unit: 'short' },
  ),
];

export const people: DashboardSpec = {
  uid: 'overtone-people',
  title: 'Overtone: sign-in and directory',
  description: 'Who comes in, who is kept out, and whether whoever left the directory loses access.',
  rows: [
    { title: 'Sign-in', panels: signIn },
    { title: 'The sweep of the directory', panels: sweep },
  ],
};
