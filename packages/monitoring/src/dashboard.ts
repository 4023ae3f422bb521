import type { PanelSpec } from './panel.ts';

/** A dashboard: rows of panels, each row under its heading. */
export type DashboardSpec = {
  uid: string;
  title: string;
  description: string;
  /** Whether the dashboard has a selector for the service of its panels. */
  perService?: boolean;
  rows: readonly { title: string; panels: readonly PanelSpec[] }[];
};

const datasource = { type: 'prometheus', uid: '${datasource}' };
const columns = 24;

/** The dashboard in Grafana's JSON format. */
export function toGrafana(dashboard: DashboardSpec) {
  return {
    uid: dashboard.uid,
    title: dashboard.title,
    description: dashboard.description,
    tags: ['overtone'],
    schemaVersion: 39,
    editable: false,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    links: [{ type: 'dashboards', title: 'Overtone', tags: ['overtone'], asDropdown: true, keepTime: true }],
    templating: { list: variables(dashboard.perService ?? false) },
    annotations: { list: [] },
    panels: layOut(dashboard.rows),
  };
}

function variables(perService: boolean) {
  return [
    { name: 'datasource', label: 'Prometheus', type: 'datasource', query: 'prometheus', refresh: 1, hide: 0 },
    {
      name: 'runbooks',
      label: 'Address of docs/runbooks',
      type: 'textbox',
      query: '/docs/runbooks',
      current: { text: '/docs/runbooks', value: '/docs/runbooks' },
      hide: 2,
    },
    ...(perService
      ? [
          {
            name: 'service',
            label: 'Service',
            type: 'query',
            datasource,
            query: { query: 'label_values(up{job="overtone"}, service)', refId: 'service' },
            refresh: 2,
            sort: 1,
            hide: 0,
          },
        ]
      : []),
  ];
}

/** Places panels from left to right, with a new line when one does not fit. */
function layOut(rows: DashboardSpec['rows']) {
  const panels: object[] = [];
  let id = 0;
  let y = 0;
  for (const { title, panels: specs } of rows) {
    panels.push({
      id: ++id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y: y++, w: columns, h: 1 },
    });
    let x = 0;
    let height = 0;
    for (const spec of specs) {
      if (x + spec.width > columns) {
        y += height;
        [x, height] = [0, 0];
      }
      panels.push(toPanel(spec, ++id, { x, y }));
      x += spec.width;
      height = Math.max(height, spec.height);
    }
    y += height;
  }
  return panels;
}

function toPanel(panel: PanelSpec, id: number, gridPos: { x: number; y: number }) {
  return {
    id,
    type: panel.type,
    title: panel.title,
    description: panel.description,
    datasource,
    gridPos: { ...gridPos, w: panel.width, h: panel.height },
    fieldConfig: {
      defaults: {
        unit: panel.unit,
        min: 0,
        thresholds: { mode: 'absolute', steps: thresholdSteps(panel) },
        custom: customOptions(panel),
      },
      overrides: [],
    },
    options: displayOptions(panel),
    targets: queriesOf(panel).map(([legendFormat, expr], i) => ({
      refId: String.fromCharCode(65 + i),
      datasource,
      expr,
      legendFormat,
      range: panel.type !== 'bargauge',
      instant: panel.type === 'bargauge',
    })),
    links: (panel.alerts ?? []).map((alert) => ({
      title: `Runbook: ${alert}`,
      url: `\${runbooks}/${alert}.md`,
      targetBlank: true,
    })),
  };
}

function queriesOf({ title, queries }: PanelSpec): [legend: string, expr: string][] {
  return typeof queries === 'string' ? [[title, queries]] : Object.entries(queries);
}

function thresholdSteps({ thresholds, floor }: PanelSpec) {
  if (floor !== undefined)
    return [
      { color: 'red', value: null },
      { color: 'green', value: floor },
    ];
  if (!thresholds) return [{ color: 'green', value: null }];
  return [
    { color: 'green', value: null },
    ...(thresholds.orange === undefined ? [] : [{ color: 'orange', value: thresholds.orange }]),
    { color: 'red', value: thresholds.red },
  ];
}

function customOptions(panel: PanelSpec) {
  return panel.type === 'timeseries'
    ? {
        lineWidth: 1,
        fillOpacity: panel.stacked ? 30 : 8,
        showPoints: 'never',
        stacking: { mode: panel.stacked ? 'normal' : 'none', group: 'A' },
        thresholdsStyle: { mode: panel.thresholds || panel.floor !== undefined ? 'dashed' : 'off' },
      }
    : {};
}

function displayOptions(panel: PanelSpec) {
  const reduceOptions = { calcs: ['lastNotNull'], fields: '', values: false };
  if (panel.type === 'timeseries')
    return {
      legend: { displayMode: 'table', placement: 'bottom', calcs: ['lastNotNull', 'max'] },
      tooltip: { mode: 'multi', sort: 'desc' },
    };
  if (panel.type === 'stat') return { reduceOptions, colorMode: 'value', graphMode: 'area', textMode: 'auto' };
  if (panel.type === 'bargauge') return { reduceOptions, orientation: 'horizontal', displayMode: 'basic' };
  return { showValue: 'auto', mergeValues: true, legend: { displayMode: 'list', placement: 'bottom' } };
}
