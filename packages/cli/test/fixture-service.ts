import { spawn } from 'node:child_process';
import { createServer } from 'node:http';

// A service for the supervisor's tests, ready at PORT. "stubborn" ignores the stop signal, "parent" has a child that
// outlives it, "broken" exits immediately, "uncaught-once" exits like after an uncaught exception unless one was counted
// before.
const traits = process.argv.slice(2);
if (traits.includes('broken')) {
  process.stderr.write('Error: the fixture is broken\n');
  process.exit(3);
}
if (traits.includes('uncaught-once') && process.env['UNCAUGHT_EXCEPTIONS'] === undefined) process.exit(70);
if (traits.includes('parent')) spawn('sleep', ['300'], { stdio: 'ignore' });
process.on('SIGTERM', () => {
  if (!traits.includes('stubborn')) process.exit(0);
});
createServer((_request, response) => response.end('ready')).listen(Number(process.env['PORT']), '127.0.0.1');
