/** Units as Grafana names them. */
export type Unit = 'short' | 's' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'none' | 'bool_yes_no' | 'dtdurations';

/** One line or number of a panel. */
export type Query = { expr: string; legend?: string };

/** The content of a panel; its position is computed by the dashboard. */
export type PanelSpec = {
  title: string;
  type: 'timeseries' | 'stat' | 'bargauge' | 'state-timeline' | 'table';
  /** Its meaning and the normal value. */
  description: string;
  queries: readonly Query[];
  unit: Unit;
  /** Minimum values for orange and red. */
  thresholds?: { orange?: number; red: number };
  /** Lower limits: red and orange below these values. */
  floor?: { orange?: number; red: number };
  stacked?: boolean;
  width: number;
  height: number;
  /** Related alerts; their runbooks are linked. */
  alerts?: readonly string[];
};

type Shape = Omit<PanelSpec, 'type' | 'width' | 'height' | 'title' | 'queries'> & { width?: number; height?: number };
type Queries = string | Query | readonly Query[];

function queriesOf(queries: Queries): readonly Query[] {
  if (typeof queries === 'string') return [{ expr: queries }];
  return 'expr' in queries ? [queries] : queries;
}

function panel(type: PanelSpec['type'], width: number, height: number) {
  return (title: string, queries: Queries, shape: Shape): PanelSpec => ({
    width,
    height,
    ...shape,
    type,
    title,
    queries: queriesOf(queries),
  });
}

/** A time series. */
export const lines = panel('timeseries', 8, 8);
/** One number, coloured by its thresholds. */
export const number = panel('stat', 4, 4);
/** Current values as bars. */
export const bars = panel('bargauge', 12, 10);
/** States over time. */
export const states = panel('state-timeline', 12, 8);
