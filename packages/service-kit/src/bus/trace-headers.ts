import { headers, type MsgHdrs } from 'nats';
import { carrier } from '../tracing.ts';

/** The trace that a message belongs to. */
export function traceHeaders(): MsgHdrs {
  const messageHeaders = headers();
  for (const [name, value] of Object.entries(carrier())) messageHeaders.set(name, value);
  return messageHeaders;
}
