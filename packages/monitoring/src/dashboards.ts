import type { DashboardSpec } from './dashboard.ts';
import { backups } from './dashboards/backups.ts';
import { insights } from './dashboards/insights.ts';
import { overview } from './dashboards/overview.ts';
import { people } from './dashboards/people.ts';
import { queuesDashboard } from './dashboards/queues.ts';
import { search } from './dashboards/search.ts';
import { service } from './dashboards/service.ts';

/** All dashboards, by the name of their file in deploy/grafana/dashboards. */
export const dashboards: Readonly<Record<string, DashboardSpec>> = {
  overview,
  queues: queuesDashboard,
  people,
  search,
  insights,
  backups,
  service,
};
