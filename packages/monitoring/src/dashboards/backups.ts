import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

function panelsOf(prefix: string, what: string, alert: string) {
  const of = (name: string) => `max(${prefix}_${name})`;
  return [
    number('Schedule', 'bool_yes_no', {
      queries: of('enabled'),
      description: `Whether the schedule of the ${what} is switched on.`,
    }),
    number('Age', 'dtdurations', {
      queries: of('age_seconds'),
      description: 'Time since the last success or since the schedule was switched on or changed, whichever is later.',
    }),
    number('Overdue', 'dtdurations', {
      queries: of('overdue_seconds'),
      description: 'Time since a scheduled run that no success has followed.',
      thresholds: { orange: 3600, red: 2 * 3600 },
      alerts: [`${alert}Overdue`],
    }),
    states('Last run successful', 'bool_yes_no', {
      queries: { success: of('last_status') },
      description: 'Whether the last run succeeded.',
      alerts: [`${alert}Failed`],
      width: 6,
    }),
    lines('Runs', 'short', {
      queries: { '{{result}}': `max by (result) (increase(${prefix}_runs_total[1d]))` },
      description: 'Runs of 24 hours by result.',
      width: 6,
    }),
  ];
}

export const backups: DashboardSpec = {
  uid: 'overtone-backups',
  title: 'Overtone: backups',
  description: 'Backups of the database and the mirror of the media.',
  rows: [
    { title: 'Backups', panels: panelsOf('backup', 'backups', 'Backup') },
    {
      title: 'Media mirror',
      panels: [
        ...panelsOf('media_mirror', 'media mirror', 'MediaMirror'),
        lines('Objects in the mirror', 'short', {
          queries: { objects: 'max(media_mirror_objects)' },
          description: 'Objects that the mirror contains.',
        }),
      ],
    },
  ],
};
