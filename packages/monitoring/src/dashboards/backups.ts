import type { DashboardSpec } from '../dashboard.ts';
import { lines, number, states } from '../panel.ts';

function panelsOf(prefix: string, what: string, alert: string) {
  const of = (name: string) => `max(${prefix}_${name})`;
  return [
    number('Schedule', of('enabled'), {
      description: `Whether the schedule of the ${what} is switched on.`,
      unit: 'bool_yes_no',
    }),
    number('Age', of('age_seconds'), {
      description: 'Time since the last success or since the schedule was switched on, whichever is later.',
      unit: 'dtdurations',
      thresholds: { orange: 25 * 3600, red: 26 * 3600 },
      alerts: [`${alert}Overdue`],
    }),
    states(
      'Last run successful',
      { expr: of('last_status'), legend: 'success' },
      { description: 'Whether the last run succeeded.', unit: 'bool_yes_no', alerts: [`${alert}Failed`], width: 8 },
    ),
    lines(
      'Runs',
      { expr: `max by (result) (increase(${prefix}_runs_total[1d]))`, legend: '{{result}}' },
      { description: 'Runs of 24 hours by result.', unit: 'short' },
    ),
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
        lines(
          'Objects in the mirror',
          { expr: 'max(media_mirror_objects)', legend: 'objects' },
          { description: 'Objects that the mirror contains.', unit: 'short' },
        ),
      ],
    },
  ],
};
