import { modelProviderKinds, type ModelProviderKind } from '@overtone/contracts';
import type { Metrics } from '@overtone/service-kit';
import { Counter, Gauge, Histogram } from 'prom-client';

/** The model under which those of single people are counted: their names may be personal. */
const ownModels = 'own';

const summaryOutcomes = ['completed', 'partial', 'failed'] as const;
type SummaryOutcome = (typeof summaryOutcomes)[number];
const answerOutcomes = ['answered', 'declined', 'failed'] as const;
type AnswerOutcome = (typeof answerOutcomes)[number];

/** Metrics of requests to language models, by kind of provider and model; counters start at 0, so that they are never missing. */
export function createTelemetry({ registry }: Pick<Metrics, 'registry'>) {
  const registers = [registry];
  const requests = new Counter({
    name: 'language_model_requests_total',
    help: 'Requests to language models by result: ok, or the code of the failure',
    labelNames: ['provider', 'model', 'result'] as const,
    registers,
  });
  const tokens = new Counter({
    name: 'language_model_tokens_total',
    help: 'Tokens of requests (input) and answers (output)',
    labelNames: ['provider', 'model', 'direction'] as const,
    registers,
  });
  const duration = new Histogram({
    name: 'language_model_request_duration_seconds',
    help: 'Time from a request to the end of its answer',
    labelNames: ['provider', 'model'] as const,
    buckets: [0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
    registers,
  });
  const running = new Gauge({
    name: 'language_model_requests_in_progress',
    help: 'Requests to language models that wait for the end of their answer',
    registers,
  });
  const summaries = new Counter({
    name: 'summaries_total',
    help: 'Summaries by outcome: completed, partial or failed',
    labelNames: ['outcome'] as const,
    registers,
  });
  const summaryDuration = new Histogram({
    name: 'summary_duration_seconds',
    help: 'Time from the beginning of a summary to its end, without the time in the queue',
    buckets: [0.5, 1, 5, 15, 30, 60, 120, 300, 900, 1_800, 3_600],
    registers,
  });
  const answers = new Counter({
    name: 'answers_total',
    help: 'Answers to questions by outcome: answered, declined (the recordings do not say) or failed',
    labelNames: ['outcome'] as const,
    registers,
  });
  for (const outcome of answerOutcomes) answers.inc({ outcome }, 0);
  for (const outcome of summaryOutcomes) summaries.inc({ outcome }, 0);
  for (const provider of modelProviderKinds) {
    const labels = { provider, model: ownModels };
    requests.inc({ ...labels, result: 'ok' }, 0);
    for (const direction of ['input', 'output']) tokens.inc({ ...labels, direction }, 0);
    duration.zero(labels);
  }
  return {
    recordSummary: (outcome: SummaryOutcome, seconds: number | null): void => {
      summaries.inc({ outcome });
      if (seconds !== null) summaryDuration.observe(seconds);
    },
    recordAnswer: (outcome: AnswerOutcome): void => answers.inc({ outcome }),
    labelsOf: ({ ownerId, kind, model }: { ownerId: string | null; kind: ModelProviderKind; model: string }) => ({
      provider: kind,
      model: ownerId === null ? model : ownModels,
    }),
    requests,
    tokens,
    duration,
    running,
  };
}

export type Telemetry = ReturnType<typeof createTelemetry>;
