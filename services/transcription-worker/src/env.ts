/** Environment of the programs we start: enough to find them, none of our secrets. */
export const childEnvironment = (): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
  LC_ALL: 'C.UTF-8',
});
