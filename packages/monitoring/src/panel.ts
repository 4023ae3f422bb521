/** Units as Grafana names them. */
export type Unit = 'short' | 's' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'bool_yes_no' | 'dtdurations';

/** The content of a panel; its position is computed by the dashboard. */
export type PanelSpec = {
  title: string;
  type: 'timeseries' | 'stat' | 'bargauge' | 'state-timeline';
  /** Its meaning and the normal value. */
  description: string;
  /** Expressions by legend; the legend of a single expression is the title. */
  queries: string | Readonly<Record<string, string>>;
  unit: Unit;
  /** Minimum values for orange and red. */
  thresholds?: { orange?: number; red: number };
  /** Lower limit: red below it. */
  floor?: number;
  stacked?: boolean;
  width: number;
  height: number;
  /** Related alerts; their runbooks are linked. */
  alerts?: readonly string[];
};

type Content = Pick<PanelSpec, 'queries' | 'description'> & Partial<PanelSpec>;

function panel(type: PanelSpec['type'], width: number, height: number) {
  return (title: string, unit: Unit, content: Content): PanelSpec => ({ width, height, ...content, type, title, unit });
}

/** A time series. */
export const lines = panel('timeseries', 8, 8);
/** One number, coloured by its thresholds. */
export const number = panel('stat', 4, 4);
/** Current values as bars. */
export const bars = panel('bargauge', 12, 10);
/** States over time. */
export const states = panel('state-timeline', 12, 8);
