import { headers, type MsgHdrs } from 'nats';
import { carrier } from '../tracing.ts';

/** The trace that a message belongs to. */
export function traceHeaders(): MsgHdrs {
  const h = headers();
  for (const [k, v] of Object.entries(carrier())) h.set(k, v);
  return h;
}
