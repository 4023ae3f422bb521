import { afterEach } from '@jest/globals';
import { watchAnswers } from './answers.ts';

// Every integration test holds the services to the description of the API.
const faultsOf = watchAnswers();
afterEach(() => {
  const faults = faultsOf();
  if (faults.length > 0) throw new Error(`Answers differ from docs/api/openapi.json:\n${faults.join('\n')}`);
});
