import { describe, expect, it } from '@jest/globals';
import { failureText, isModelFailure } from './labels.ts';

describe('a failed question', () => {
  it('says what to do for every failure of a language model', () => {
    const codes = [
      'provider_unreachable',
      'provider_timeout',
      'provider_rate_limited',
      'provider_refused_key',
      'provider_model_unknown',
      'provider_answer_invalid',
      'provider_context_exceeded',
      'provider_refused_request',
      'provider_paused',
      'search_unavailable',
      'answer_interrupted',
      'scope_unavailable',
    ];
    const texts = codes.map(failureText);
    expect(new Set(texts).size).toBe(codes.length);
    expect(texts).not.toContain(failureText('some_other_code'));
  });

  it('can be answered without the language model only when that failed', () => {
    expect([isModelFailure('provider_timeout'), isModelFailure('search_unavailable'), isModelFailure(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
