/** A key of the tests, in a file without the test servers: a process that a test kills reads it, too. */
export const encryptionKey = Buffer.alloc(32, 1).toString('base64');
