import type { Probe } from '@overtone/service-kit';
import { Client, type ClientBase } from 'pg';

/** Closes a connection locally, without a message to the server. */
export function destroyConnection(client: ClientBase): void {
  (client as Client).connection.stream.destroy();
}

/** Probes with a new connection: its first byte counts as a response, and so does a refusal. */
export function createProbeConnection(url: string): Probe {
  return (onResponse) => {
    const client = new Client({ connectionString: url, application_name: 'probe' });
    client.on('error', () => {});
    client.connection.stream.once('data', onResponse);
    client.connect().then(onResponse, onResponse);
    return () => destroyConnection(client);
  };
}
