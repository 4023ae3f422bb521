export type { Broker } from './broker.adapter.ts';
export type { QueueGauges } from './gauges.ts';
