import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { circuitBreakers, describeOpenBreaker } from './circuit-breakers.ts';
import { searchServerError } from './elasticsearch-errors.ts';

/** What each server writes: Elasticsearch 8 and 9, and OpenSearch. */
const tooLarge = 'Data too large, data for [<http_request>] would be [2097152/2mb], which is larger than the limit of';
const messages = [
  ['parent', `[parent] ${tooLarge} [1048576/1mb], real usage: [1048576/1mb], new bytes reserved: [1048576/1mb]`],
  ['request', '[request] Data too large, data for [<reused_arrays>] would be [2097152/2mb]'],
  ['fielddata', '[fielddata] Data too large, data for [file_id] would be [2097152/2mb]'],
  ['inflight_requests', `[inflight_requests] ${tooLarge} [1048576/1mb]`],
  ['in_flight_requests', `[in_flight_requests] ${tooLarge} [1048576/1mb]`],
  ['accounting', '[accounting] Data too large, data for [new used memory] would be [2097152/2mb]'],
  ['model_inference', '[model_inference] Data too large, data for [model] would be [2097152/2mb]'],
  ['Memory Circuit Breaker', 'Memory Circuit Breaker is open, please check your resources!'],
  ['Native Memory Circuit Breaker', 'Native Memory Circuit Breaker is open, please check your resources!'],
] as const;

describe('an open circuit breaker of the search server', () => {
  it('has a message of each breaker among the tested ones', () =>
    expect(messages.map(([name]) => name)).toEqual(Object.keys(circuitBreakers)));

  it.each(messages)('%s is named with its own advice and setting', (name, reason) => {
    const { advice, setting } = circuitBreakers[name]!;
    const error = { type: 'circuit_breaking_exception', reason };
    expect(searchServerError({ error, status: 429 }).message).toBe(
      `The circuit breaker ${name} is open: ${advice} (${setting})`,
    );
  });

  it('that is not known is named, and nothing is advised but to look for the cause', () => {
    expect(describeOpenBreaker('[eql_sequence] Data too large')).toEqual({
      name: 'eql_sequence',
      advice: 'find out what fills it before you add heap',
    });
    expect(describeOpenBreaker('too many things').name).toBe('of the search server');
  });

  it.each(Object.entries(circuitBreakers))('%s has the same advice and setting in the runbook', (name, breaker) => {
    const runbook = readFileSync(new URL('../../../../docs/runbooks/SearchLegFailing.md', import.meta.url), 'utf8');
    const row = runbook.split('\n').find((line) => line.startsWith('|') && line.split('|')[1]?.includes(`\`${name}\``));
    expect(row).toContain(`\`${breaker.setting}\``);
    expect(row?.toLowerCase()).toContain(breaker.advice.toLowerCase());
  });
});
