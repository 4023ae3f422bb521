// The same tests, with every reader and format.
process.env['OT_LEAKS_EVERY_PAIR'] = 'true';
await import('./leaks.it.test.ts');
