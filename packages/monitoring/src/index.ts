export { dashboards } from './dashboards.ts';
export { toGrafana, type DashboardSpec } from './dashboard.ts';
