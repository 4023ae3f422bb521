import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

const ways = 'service="edge-gateway",route=~"/api/auth/(token|oidc/callback|pki/authenticate|proxy/authenticate)"';

function last(name: string) {
  return `max(directory_sync_${name})`;
}

export const people: DashboardSpec = {
  uid: 'overtone-people',
  title: 'Overtone: sign-in and directory',
  description: 'Successful and failed sign-ins, and the directory sync.',
  rows: [
    {
      title: 'Sign-in',
      panels: [
        lines('Sign-ins', 'reqps', {
          queries: {
            '{{route}} {{status}}': `sum by (route, status) (rate(http_requests_total{${ways}}[$__rate_interval]))`,
          },
          description:
            'Responses of all sign-in methods by status: 200 and 302 succeed, 401 and 403 fail, 429 is rate limited.',
        }),
        lines('Failed sign-ins', 'reqps', {
          queries: { refused: 'sign_in:failures:rate5m' },
          description: 'Failed sign-ins per second, of all methods.',
          thresholds: { red: 0.5 },
          alerts: ['SignInFailuresSurge'],
        }),
        lines('Lockouts', 'short', {
          queries: { 'in 15 minutes': 'sum(increase(account_lockouts_total[15m]))' },
          description: 'Accounts and names locked after too many failures.',
          thresholds: { red: 10 },
          alerts: ['AccountLockouts'],
        }),
        lines('Sign-in duration', 's', {
          queries: {
            '{{route}}': `histogram_quantile(0.95, sum by (route, le) (rate(http_request_duration_seconds_bucket{${ways}}[$__rate_interval])))`,
          },
          description: '95th percentile. A failure is slow on purpose; a directory or provider adds its own time.',
        }),
        lines('Erasures that are not done', 's', {
          queries: { '{{status}}': 'max by (status) (erasures_oldest_open_seconds)' },
          description: 'Age of the oldest erasure of a person: running waits for a service, held for a legal hold.',
          thresholds: { red: 86_400 },
          alerts: ['ErasureNotDone'],
        }),
        lines('New accounts', 'short', {
          queries: { '{{method}}': 'sum by (method) (increase(user_signups_total[1d]))' },
          description: 'New accounts in 24 hours by source; keycloak is any OpenID Connect provider.',
          stacked: true,
        }),
        lines('Setting look-ups', 'ops', {
          queries: {
            '{{result}}': 'sum by (result) (rate(cache_operations_total{cache="settings"}[$__rate_interval]))',
          },
          description:
            'A hit is read from memory, a miss from the database: after a start, and after a change of a setting.',
        }),
      ],
    },
    {
      title: 'The directory sync',
      panels: [
        number('Directory sync enabled', 'bool_yes_no', {
          queries: last('enabled'),
          description: 'Whether the directory sync runs on its schedule.',
        }),
        number('Age of the last successful sync run', 'dtdurations', {
          queries: last('age_seconds'),
          description:
            'Time since the last successful sync run or since the directory sync was enabled, whichever is later; 0 while disabled.',
          alerts: ['DirectorySyncOverdue'],
        }),
        number('Runs missed', 'short', {
          queries: last('runs_missed'),
          description: 'Scheduled runs since the last successful sync run.',
          thresholds: { orange: 1, red: 2 },
          alerts: ['DirectorySyncOverdue'],
        }),
        number('Seen', 'short', {
          queries: last('last_seen'),
          description: 'Directory entries read by the last sync run.',
        }),
        number('Candidates', 'short', {
          queries: last('last_candidates'),
          description: 'Accounts that the last sync run found to have left the directory.',
        }),
        number('Disabled', 'short', {
          queries: last('last_disabled'),
          description: 'Accounts disabled by the last sync run.',
        }),
        states('Outcome of the last sync run', 'bool_yes_no', {
          queries: { '{{outcome}}': 'max by (outcome) (directory_sync_last_outcome)' },
          description:
            'ok is successful; held waits for an approval; directory_unavailable and failed were aborted and disabled no account.',
          alerts: ['DirectorySyncAborted', 'DirectorySyncHeld'],
        }),
        lines('Sync runs', 'short', {
          queries: {
            '{{outcome}}, dry run: {{dry_run}}':
              'sum by (outcome, dry_run) (increase(directory_sync_passes_total[1d]))',
          },
          description: 'Sync runs of 24 hours by outcome.',
          width: 12,
        }),
        lines('Sync run duration', 's', {
          queries: { 'last sync run': last('last_duration_seconds') },
          description: 'Duration of the last sync run.',
        }),
        lines('LDAP requests', 'short', {
          queries: { 'last sync run': last('last_ldap_requests') },
          description: 'The number grows with pages and groups, not with persons.',
        }),
        lines('Accounts disabled', 'short', {
          queries: { 'in 24 hours': 'sum(increase(directory_sync_disabled_total[1d]))' },
          description: 'By sync runs, in 24 hours.',
        }),
      ],
    },
  ],
};
