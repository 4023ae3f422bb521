import type { DashboardSpec } from '../dashboard.ts';
import { lines, states } from '../panel.ts';

function duration(value: number): string {
  const rate = 'sum by (le) (rate(language_model_request_duration_seconds_bucket[$__rate_interval]))';
  return `histogram_quantile(${value}, ${rate})`;
}

export const insights: DashboardSpec = {
  uid: 'overtone-insights',
  title: 'Overtone: insights',
  description: 'Requests to language models, and summaries.',
  rows: [
    {
      title: 'Language models',
      panels: [
        lines('Requests', 'reqps', {
          queries: {
            '{{provider}} {{model}}: {{result}}':
              'sum by (provider, model, result) (rate(language_model_requests_total[$__rate_interval]))',
          },
          description: 'Requests per second by result: ok, or the code of the failure.',
          alerts: ['LanguageModelFailing'],
        }),
        lines('Tokens', 'short', {
          queries: {
            '{{model}}: {{direction}}':
              'sum by (model, direction) (rate(language_model_tokens_total[$__rate_interval]))',
          },
          description: 'Tokens per second of requests (input) and answers (output).',
        }),
        lines('Time of an answer', 's', {
          queries: { half: duration(0.5), '95 %': duration(0.95) },
          description: 'From a request to the end of its answer.',
        }),
        lines('Requests in progress', 'short', {
          queries: { '{{instance}}': 'sum by (instance) (language_model_requests_in_progress)' },
          description: 'Requests that wait for the end of their answer.',
        }),
        states('Language model paused', 'bool_yes_no', {
          queries: { paused: 'max(language_model_paused)' },
          description:
            '1 while the language model of everyone is paused, because several requests in a row have failed.',
          alerts: ['LanguageModelPaused'],
        }),
      ],
    },
    {
      title: 'Summaries and answers',
      panels: [
        lines('Summaries', 'short', {
          queries: { '{{outcome}}': 'sum by (outcome) (increase(summaries_total[1h]))' },
          description: 'Summaries of an hour by outcome. Incomplete ones name the part that they do not cover.',
        }),
        lines('Answers', 'short', {
          queries: { '{{outcome}}': 'sum by (outcome) (increase(answers_total[1h]))' },
          description: 'Answers to questions of an hour by outcome. Declined: the recordings do not say.',
        }),
        lines('Time of a summary', 's', {
          queries: {
            half: 'histogram_quantile(0.5, sum by (le) (rate(summary_duration_seconds_bucket[$__rate_interval])))',
            '95 %': 'histogram_quantile(0.95, sum by (le) (rate(summary_duration_seconds_bucket[$__rate_interval])))',
          },
          description: 'From the beginning of a summary to its end, without the time in the queue.',
        }),
      ],
    },
  ],
};
