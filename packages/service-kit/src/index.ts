export { assertionHeader, createAssertionSigner, createAssertionVerifier, type Caller } from './assertion.ts';
export { askAll } from './bus/ask-all.ts';
export { createBus, type Bus } from './bus/bus.ts';
export { replyOf } from './bus/confirm.ts';
export { traceHeaders } from './bus/rpc.ts';
export { decodeVectors, embedTexts, type TextVectors } from './bus/text-vectors.ts';
export { consumer, type Consumer, type Delivery } from './bus/consumer.ts';
export { cachedFor } from './cached-for.ts';
export { coalesce } from './coalesce.ts';
export { currentFlow, runInFlow, type Flow } from './context.ts';
export {
  assertionEnv,
  busEnv,
  defineEnv,
  readableBy,
  readEnv,
  serviceEnv,
  type EnvSource,
  type ServiceEnv,
} from './env.ts';
export * from './errors.ts';
export { createForwardedSigner, createForwardedVerifier, forwardedHeader, type Forwarded } from './forwarded.ts';
export { HealthProbe, type Probe } from './health-probe.ts';
export { createAccessLog, type Access, type AccessLog } from './http/access-log.ts';
export { checkHeaderSizes, maxHeaderBytes, mayBeLong } from './http/header-limits.ts';
export { runChecks, type Check, type Checks, type InternalRoute } from './http/internal.ts';
export { isFullStorage } from './http/lost-database.ts';
export { sendProblem, toProblem } from './http/problem.ts';
export { discardUnreadBody } from './http/unread-body.ts';
export {
  clientOf,
  handle,
  handled,
  reply,
  type Client,
  type Reply,
  type Route,
  type RouteRequest,
} from './http/route.ts';
export { createLog, standardOutput, type Log } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { catchUp, periodic, restingPeriodic, type Periodic } from './periodic.ts';
export { runService, runServices } from './run-service.ts';
export {
  keyedHashes,
  keyRingEnv,
  parseKeyRing,
  readKeyRing,
  seal,
  sealHashKey,
  sealKey,
  unseal,
  unsealHashKey,
  type HashKey,
  type KeyRing,
  type SealedHashKey,
} from './sealing.ts';
export {
  createService,
  createServiceBase,
  rpc,
  type Part,
  type RpcHandler,
  type Service,
  type ServiceBase,
  type Slice,
  type Worker,
} from './service.ts';
export { carrier, inSpan, startTracing, type Carrier } from './tracing.ts';
export { version } from './version.ts';
export type { Sample } from './watched.ts';
