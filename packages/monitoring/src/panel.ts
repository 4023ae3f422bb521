/** Units as Grafana names them. */
export type Unit = 'short' | 's' | 'reqps' | 'ops' | 'percentunit' | 'bytes' | 'none' | 'bool_yes_no' | 'dtdurations';

/** One line or number of a panel. */
export type Query = { expr: string; legend?: string };

/** What a panel shows; where it stands is the dashboard's affair. */
export type PanelSpec = {
  title: string;
  type: 'timeseries' | 'stat' | 'bargauge' | 'state-timeline' | 'table';
  /** What it means and what a good value is. */
  says: string;
  queries: readonly Query[];
  unit: Unit;
  /** From which value on it is orange, and red. */
  thresholds?: { orange?: number; red: number };
  /** The other way round: below which value. */
  floor?: { orange?: number; red: number };
  stacked?: boolean;
  width: number;
  height: number;
  /** Alerts about what it shows; their runbooks are linked. */
  alerts?: readonly string[];
};

type Shape = Omit<PanelSpec, 'type' | 'width' | 'height' | 'title' | 'queries'> & { width?: number; height?: number };
type Queries = string | Query | readonly Query[];

const queriesOf = (queries: Queries): readonly Query[] => {
  if (typeof queries === 'string') return [{ expr: queries }];
  return 'expr' in queries ? [queries] : queries;
};
const panel =
  (type: PanelSpec['type'], width: number, height: number) =>
  (title: string, queries: Queries, shape: Shape): PanelSpec => ({
    width,
    height,
    ...shape,
    type,
    title,
    queries: queriesOf(queries),
  });

/** Lines over time. */
export const lines = panel('timeseries', 8, 8);
/** One number, coloured by its thresholds. */
export const number = panel('stat', 4, 4);
/** Bars of what is largest now. */
export const bars = panel('bargauge', 12, 10);
/** Which state something was in, over time. */
export const states = panel('state-timeline', 12, 8);
